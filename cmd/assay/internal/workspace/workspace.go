package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"assay/corpus"

	"github.com/pelletier/go-toml/v2"
)

// ErrNone says that no workspace was found.
var ErrNone = errors.New("no workspace here")

// Workspace is a folder with an assay.toml.
type Workspace struct {
	Root   string // absolute
	Config Config
}

// Path joins names to the root.
func (w *Workspace) Path(names ...string) string {
	return filepath.Join(append([]string{w.Root}, names...)...)
}

// Name is what assay.toml calls the workspace, or its folder's name.
func (w *Workspace) Name() string {
	if w.Config.Name != "" {
		return w.Config.Name
	}
	return filepath.Base(w.Root)
}

// Scale is the scale of assay.toml, which was checked when it was read.
func (w *Workspace) Scale() corpus.Scale {
	s, _ := w.Config.Scale.AsScale()
	return s
}

// Guidelines are the text of guidelines.md and its hash; both empty where there is none.
func (w *Workspace) Guidelines() (string, corpus.Hash, error) {
	b, err := os.ReadFile(w.Path("guidelines.md"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("read guidelines: %w", err)
	}
	return string(b), corpus.HashText(string(b)), nil
}

// Find locates a workspace: dir where it is not "", else the nearest folder from start upwards with an assay.toml.
func Find(dir, start string) (*Workspace, error) {
	if dir != "" {
		w, err := open(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %s has no assay.toml", ErrNone, dir)
		}
		return w, err
	}
	at, err := filepath.Abs(start)
	if err != nil {
		return nil, err
	}
	for {
		w, err := open(at)
		if !errors.Is(err, fs.ErrNotExist) {
			return w, err
		}
		up := filepath.Dir(at)
		if up == at {
			return nil, ErrNone
		}
		at = up
	}
}

func open(dir string) (*Workspace, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	c, err := ReadConfig(filepath.Join(root, "assay.toml"))
	if err != nil {
		return nil, err
	}
	return &Workspace{Root: root, Config: c}, nil
}

// Init makes a workspace. A folder that holds one already is refused; other files in it are left alone.
func Init(dir, language string, scale corpus.Scale) (*Workspace, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(root, "assay.toml")
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s is a workspace already", dir)
	}
	for _, d := range []string{"", "prompts", "runs", "answers", "logs", "exports", "backups"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			return nil, err
		}
	}
	guide := filepath.Join(root, "guidelines.md")
	if _, err := os.Lstat(guide); errors.Is(err, fs.ErrNotExist) {
		if err := replaceFile(guide, guidelines(scale)); err != nil {
			return nil, err
		}
	}
	if err := replaceFile(path, Template(filepath.Base(root), language, scale)); err != nil {
		return nil, err
	}
	return open(root)
}

func guidelines(s corpus.Scale) string {
	var b strings.Builder
	b.WriteString("# Guidelines\n\nWhat counts as relevant, for everyone who labels here. Press `i` while labeling to read this.\n\n")
	for g := s.Max; g >= s.Min; g-- {
		mark := ""
		if s.Relevant(g) {
			mark = " (counts as relevant)"
		}
		fmt.Fprintf(&b, "- **%d %s**%s: …\n", g, s.Name(g), mark)
	}
	b.WriteString("\nJudge the chunk by itself: would it help to answer the query if it were all one had?\n")
	return b.String()
}

// Relative is how a source's path is recorded: relative to the root where it lies below it, absolute otherwise.
func (w *Workspace) Relative(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(w.Root, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return abs, nil
	}
	return rel, nil
}

// Resolve is the opposite of Relative.
func (w *Workspace) Resolve(recorded string) string {
	if filepath.IsAbs(recorded) {
		return recorded
	}
	return w.Path(recorded)
}

type userConfig struct {
	Annotator string `toml:"annotator"`
}

// RememberedAnnotator is the name kept in the user's own configuration folder; "" where there is none.
func RememberedAnnotator(configDir string) string {
	b, err := os.ReadFile(filepath.Join(configDir, "assay", "user.toml"))
	if err != nil {
		return ""
	}
	var u userConfig
	if toml.Unmarshal(b, &u) != nil {
		return ""
	}
	return u.Annotator
}

// RememberAnnotator keeps the name in the user's own configuration folder.
func RememberAnnotator(configDir, name string) error {
	dir := filepath.Join(configDir, "assay")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, "user.toml"), "annotator = "+quote(name)+"\n")
}
