package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"assay/corpus"
	"assay/corpus/retrieval"
	"assay/corpus/text"

	"github.com/pelletier/go-toml/v2"
)

// Config is what assay.toml says, with defaults filled in.
type Config struct {
	Version   int             `toml:"version"`
	Name      string          `toml:"name"`
	Scale     ScaleConfig     `toml:"scale"`
	Corpus    CorpusConfig    `toml:"corpus"`
	Chunking  ChunkingConfig  `toml:"chunking"`
	Labeling  LabelingConfig  `toml:"labeling"`
	Gold      GoldConfig      `toml:"gold"`
	Check     CheckConfig     `toml:"check"`
	Diagnosis DiagnosisConfig `toml:"diagnosis"`
	SourceSet []corpus.Source `toml:"-"`
	Sources   []SourceConfig  `toml:"source"`

	Retrievers []RetrieverConfig `toml:"retriever"`
}

// ScaleConfig is the [scale] table. Names start at Min.
type ScaleConfig struct {
	Min          int      `toml:"min"`
	Max          int      `toml:"max"`
	RelevantFrom int      `toml:"relevant_from"`
	Names        []string `toml:"names"`
}

// CorpusConfig is the [corpus] table.
type CorpusConfig struct {
	Language string `toml:"language"`
}

// ChunkingConfig is the [chunking] table; sizes are bytes of decoded text.
type ChunkingConfig struct {
	Size    int `toml:"size"`
	Overlap int `toml:"overlap"`
}

// LabelingConfig is the [labeling] table.
type LabelingConfig struct {
	AutoAdvance bool   `toml:"auto_advance"`
	Mouse       bool   `toml:"mouse"`
	Theme       string `toml:"theme"`
}

// GoldConfig is the [gold] table.
type GoldConfig struct {
	Rule string `toml:"rule"`
}

// CheckConfig is the [check] table.
type CheckConfig struct {
	Measures []string `toml:"measures"`
	Depth    int      `toml:"depth"`
}

// DiagnosisConfig is the [diagnosis] table: figures below which a rule fires, from 0 to 1.
type DiagnosisConfig struct {
	DeepRecall float64 `toml:"deep_recall"` // R@50
	TopRecall  float64 `toml:"top_recall"`  // R@5
	FirstHit   float64 `toml:"first_hit"`   // RR
	Precision  float64 `toml:"precision"`   // P@5
}

// SourceConfig is one [[source]] table.
type SourceConfig struct {
	Path     string            `toml:"path"`
	Format   string            `toml:"format"`
	Encoding string            `toml:"encoding"`
	Fields   map[string]string `toml:"fields"`
}

// Default is the configuration of a workspace whose assay.toml says nothing.
func Default() Config {
	s := corpus.DefaultScale()
	return Config{
		Version:  1,
		Scale:    scaleConfig(s),
		Corpus:   CorpusConfig{Language: "en"},
		Chunking: ChunkingConfig{Size: 1200},
		Labeling: LabelingConfig{AutoAdvance: true, Theme: "dark"},
		Gold:     GoldConfig{Rule: string(corpus.Majority)},
		Check: CheckConfig{
			Measures: strings.Fields(retrieval.DefaultMeasures),
			Depth:    1000,
		},
		Diagnosis: DiagnosisConfig(retrieval.DefaultLimits()),
	}
}

func scaleConfig(s corpus.Scale) ScaleConfig {
	c := ScaleConfig{Min: int(s.Min), Max: int(s.Max), RelevantFrom: int(s.RelevantFrom)}
	for g := s.Min; g <= s.Max; g++ {
		c.Names = append(c.Names, s.Names[g])
	}
	return c
}

// AsScale is the scale that the table describes.
func (c ScaleConfig) AsScale() (corpus.Scale, error) {
	names := map[corpus.Grade]string{}
	for i, n := range c.Names {
		names[corpus.Grade(c.Min+i)] = n
	}
	if len(c.Names) > c.Max-c.Min+1 {
		return corpus.Scale{}, fmt.Errorf("scale: %d names for the grades %d to %d", len(c.Names), c.Min, c.Max)
	}
	s := corpus.NewScale(corpus.Grade(c.Min), corpus.Grade(c.Max), names, corpus.Grade(c.RelevantFrom))
	return s, s.Check()
}

// ReadConfig reads assay.toml. Errors name the file and, where there is one, the line.
func ReadConfig(path string) (Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, err
	}
	return parseConfig(path, data)
}

func parseConfig(path string, data []byte) (Config, error) {
	c := Default()
	d := toml.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return Config{}, explain(path, err)
	}
	for i, s := range c.Sources {
		if s.Path == "" {
			return Config{}, fmt.Errorf("%s: source %d has no path", path, i+1)
		}
		c.SourceSet = append(c.SourceSet, corpus.Source(s))
	}
	if err := c.check(); err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func (c Config) check() error {
	if c.Version != 1 {
		return fmt.Errorf("version %d is not known to this program", c.Version)
	}
	if _, err := c.Scale.AsScale(); err != nil {
		return err
	}
	switch corpus.Rule(c.Gold.Rule) {
	case corpus.Majority, corpus.Single, corpus.Adjudicated:
	default:
		return fmt.Errorf("gold: rule %q is not majority, single or adjudicated", c.Gold.Rule)
	}
	switch c.Labeling.Theme {
	case "dark", "light", "none":
	default:
		return fmt.Errorf("labeling: theme %q is not dark, light or none", c.Labeling.Theme)
	}
	if c.Chunking.Size < 100 {
		return fmt.Errorf("chunking: size %d is below 100 bytes", c.Chunking.Size)
	}
	if c.Chunking.Overlap < 0 || c.Chunking.Overlap > c.Chunking.Size/2 {
		return fmt.Errorf("chunking: overlap %d is not between 0 and half the size", c.Chunking.Overlap)
	}
	if c.Check.Depth < 1 {
		return fmt.Errorf("check: depth %d is below 1", c.Check.Depth)
	}
	for _, l := range []struct {
		name  string
		limit float64
	}{
		{"deep_recall", c.Diagnosis.DeepRecall}, {"top_recall", c.Diagnosis.TopRecall},
		{"first_hit", c.Diagnosis.FirstHit}, {"precision", c.Diagnosis.Precision},
	} {
		if !(l.limit >= 0 && l.limit <= 1) {
			return fmt.Errorf("diagnosis: %s %g is not between 0 and 1", l.name, l.limit)
		}
	}
	return checkRetrievers(c.Retrievers)
}

// UnknownKeyError says that assay.toml has a key that nobody reads.
type UnknownKeyError struct {
	Path string
	Line int
	Key  string
	Near string // the nearest known key; may be empty
}

func (e *UnknownKeyError) Error() string {
	return fmt.Sprintf("%s:%d: unknown key %q", e.Path, e.Line, text.Sanitize(e.Key))
}

// Hint names the nearest known key.
func (e *UnknownKeyError) Hint() string {
	if e.Near == "" {
		return "assay guide workspace lists the keys"
	}
	return fmt.Sprintf("did you mean %q?", e.Near)
}

func explain(path string, err error) error {
	var missing *toml.StrictMissingError
	if errors.As(err, &missing) && len(missing.Errors) > 0 {
		e := missing.Errors[0]
		line, _ := e.Position()
		key := strings.Join(e.Key(), ".")
		near, _ := text.Nearest(key, knownKeys(reflect.TypeFor[Config](), ""))
		return &UnknownKeyError{Path: path, Line: line, Key: key, Near: near}
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, _ := decode.Position()
		return fmt.Errorf("%s:%d: %s", path, line, strings.TrimPrefix(decode.Error(), "toml: "))
	}
	return fmt.Errorf("%s: %w", path, err)
}

// knownKeys lists the dotted keys of a table type, tables included.
func knownKeys(t reflect.Type, prefix string) []string {
	var keys []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if name == "-" || name == "" {
			continue
		}
		keys = append(keys, prefix+name)
		ft := f.Type
		if ft.Kind() == reflect.Slice {
			ft = ft.Elem()
		}
		if ft.Kind() == reflect.Struct {
			keys = append(keys, knownKeys(ft, prefix+name+".")...)
		}
	}
	return keys
}
