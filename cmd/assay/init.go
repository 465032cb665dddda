package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/corpus"
	"assay/corpus/index"

	"github.com/spf13/cobra"
)

func (a *app) initCommand() *cobra.Command {
	var scale, language string
	var relevantFrom int
	c := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a workspace",
		Long: `Make a workspace: a folder with assay.toml, guidelines.md and room for the rest. DIR defaults to the current folder.

The scale is MIN-MAX, or names for each grade: --scale "0=not,1=partly,2=relevant,3=perfect".`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := parseScale(scale, relevantFrom)
			if err != nil {
				return usageError{err}
			}
			if !slices.Contains(index.Languages(), language) {
				return withHint(usagef("language %q is not known", text80(language)), "one of "+strings.Join(index.Languages(), ", "))
			}
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			w, err := a.makeWorkspace(cmd.Context(), dir, language, s)
			if err != nil {
				return fmt.Errorf("init: %w", err)
			}
			a.say("made a workspace in %s: scale %s, language %s", w.Root, describeScale(s), language)
			a.say("next: cd %s && assay index PATH… && assay import queries LOG && assay", filepath.Clean(dir))
			return nil
		},
	}
	c.Flags().StringVar(&scale, "scale", "0-3", "the grades")
	c.Flags().IntVar(&relevantFrom, "relevant-from", 1, "the lowest grade that counts as relevant")
	c.Flags().StringVar(&language, "language", "en", "the corpus's language, for stemming and common words; \"none\" for neither")
	return c
}

// parseScale reads "0-3" or "0=not,1=partly,2=relevant".
func parseScale(s string, relevantFrom int) (corpus.Scale, error) {
	names := map[corpus.Grade]string{}
	if lo, hi, ok := strings.Cut(s, "-"); ok && !strings.Contains(s, "=") {
		from, err1 := strconv.Atoi(lo)
		to, err2 := strconv.Atoi(hi)
		if err1 != nil || err2 != nil {
			return corpus.Scale{}, fmt.Errorf("scale %q is not like 0-3", text80(s))
		}
		d := corpus.DefaultScale()
		if from == 0 && to == 3 {
			names = d.Names
		} else if from == 0 && to == 1 {
			names = map[corpus.Grade]string{0: "not", 1: "relevant"}
		}
		scale := corpus.NewScale(corpus.Grade(from), corpus.Grade(to), names, corpus.Grade(relevantFrom))
		return scale, scale.Check()
	}
	lo, hi := corpus.Grade(10), corpus.Grade(-1)
	for part := range strings.SplitSeq(s, ",") {
		digits, name, ok := strings.Cut(part, "=")
		n, err := strconv.Atoi(strings.TrimSpace(digits))
		if !ok || err != nil {
			return corpus.Scale{}, fmt.Errorf("scale: %q is not like 2=relevant", text80(part))
		}
		g := corpus.Grade(n)
		if _, twice := names[g]; twice {
			return corpus.Scale{}, fmt.Errorf("scale: grade %d is named twice", n)
		}
		names[g] = strings.TrimSpace(name)
		lo, hi = min(lo, g), max(hi, g)
	}
	scale := corpus.NewScale(lo, hi, names, corpus.Grade(relevantFrom))
	if err := scale.Check(); err != nil {
		return scale, err
	}
	if len(names) != int(hi-lo)+1 {
		return scale, fmt.Errorf("scale: not every grade from %d to %d is named", lo, hi)
	}
	return scale, nil
}

func describeScale(s corpus.Scale) string {
	var parts []string
	for g := s.Min; g <= s.Max; g++ {
		parts = append(parts, strings.TrimSpace(g.String()+" "+s.Names[g]))
	}
	return fmt.Sprintf("%s; relevant from %d", strings.Join(parts, ", "), s.RelevantFrom)
}

// text80 cuts what a message quotes.
func text80(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return s
}
