package measure

import (
	"strings"
	"testing"
)

const usualNames = "R@5 R@50 P@5 Success@5 RR nDCG@10 Judged@10"

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"R@5,R@10 P@5":          "R@5 R@10 P@5",
		"  ndcg@10\tAP,,rr ":    "nDCG@10 AP RR",
		"MRR MAP Hit@5 hit@05":  "RR AP Success@5",
		"MRR@10 MAP@3 nDCG":     "RR@10 AP@3 nDCG",
		"Judged@10 SetP setr":   "Judged@10 SetP SetR",
		"rprec RPREC success@1": "Rprec Success@1",
		usualNames:              usualNames,
		"P@2147483647":          "P@2147483647",
		"RR,RR@1000000000 RR@1": "RR RR@1000000000 RR@1",
	} {
		measures, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var got []string
		for _, m := range measures {
			got = append(got, m.String())
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q is read as %s, want %s", text, s, want)
		}
	}
	a, err := Parse("R@5", "P@5 R@5", "")
	if err != nil || len(a) != 2 {
		t.Errorf("two lists: %v, %v", a, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, words := range map[string]string{
		"":               "no measure named",
		" , ":            "no measure named",
		"R":              "needs a cut-off, e.g. R@5",
		"P,RR":           "needs a cut-off, e.g. P@5",
		"R@":             "whole number from 1",
		"R@0":            "whole number from 1",
		"R@-1":           "whole number from 1",
		"R@5.5":          "whole number from 1",
		"R@99999999999":  "whole number from 1",
		"RR@10@5":        "whole number from 1",
		"SetP@5":         "takes no cut-off",
		"recall@5":       "R@5 is the share of the relevant chunks found, Success@5 whether any was",
		"recall_5":       "is called R@5 here",
		"ndcg_cut_10":    "is called nDCG@10 here",
		"map_cut_7":      "is called AP@7 here",
		"recip_rank":     "is called RR here",
		"set_P":          "is called SetP here",
		"nDGC@10":        "did you mean nDCG@10?",
		"precison@5":     "did you mean P@5?",
		"sucess@3":       "did you mean Success@3?",
		"jugded@10":      "did you mean Judged@10?",
		"Rpec":           "did you mean Rprec?",
		"temperature":    "known are R@k, P@k, RR[@k]",
		"recall_0":       "unknown measure",
		"R@5 \x1b[31mqq": "unknown measure",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v, want %q", text, err, words)
		}
		if err != nil && strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: the error drives the terminal", text)
		}
	}
}

func TestParameters(t *testing.T) {
	for text, want := range map[string]string{
		"R(rel=2)@5":                            "R(rel=2)@5",
		"r( rel = 2 )@5":                        "R(rel=2)@5",
		"R()@5":                                 "R@5",
		"P(judged_only=TRUE,rel=3)@5":           "P(rel=3,judged_only=True)@5",
		"P(judged_only=False)@5":                "P@5",
		"nDCG(dcg='exp-log2')@10":               "nDCG(dcg='exp-log2')@10",
		`ndcg(dcg="exp-log2",judged_only=1)`:    "nDCG(dcg='exp-log2',judged_only=True)",
		"nDCG(dcg=log2)@10":                     "nDCG@10",
		"RBP":                                   "RBP(p=0.8)",
		"RBP(p=.5)@10 RBP(rel=2)":               "RBP(p=0.5)@10 RBP(p=0.8,rel=2)",
		"IPrec@.1 IPrec@-0 IPrec(rel=2)@1":      "IPrec@0.1 IPrec@0 IPrec(rel=2)@1",
		"R(rel=2)@5, R(rel=3)@5 R(rel=2)@5":     "R(rel=2)@5 R(rel=3)@5",
		"MAP(rel=2),Hit(rel=2)@3 MRR(rel=2)@10": "AP(rel=2) Success(rel=2)@3 RR(rel=2)@10",
		"Bpref(rel=2) infAP(rel=2) NumRet(judged_only=true)": "Bpref(rel=2) infAP(rel=2) NumRet(judged_only=True)",
	} {
		var got []string
		measures, err := Parse(text)
		for _, m := range measures {
			got = append(got, m.String())
		}
		if s := strings.Join(got, " "); err != nil || s != want {
			t.Errorf("%q is read as %s (%v), want %s", text, s, err, want)
		}
	}
	for text, words := range map[string]string{
		"R(rel=0)@5":              "rel is the lowest relevant grade, a whole number from 1, not \"0\"",
		"R(rel=-1)@5":             "whole number from 1",
		"R(rel=1.5)@5":            "whole number from 1",
		"R(rel=)@5":               "whole number from 1, not \"\"",
		"R(rel)@5":                "whole number from 1",
		"R(rel=99999999999)@5":    "whole number from 1",
		"P(judged_only=maybe)@5":  "judged_only is True or False, not \"maybe\"",
		"nDCG(dcg='ln')@10":       "dcg is log2 or exp-log2, not \"ln\"",
		"RBP(p=0)":                "p is a probability between 0 and 1",
		"RBP(p=1)":                "p is a probability between 0 and 1",
		"RBP(p=nan)":              "p is a probability between 0 and 1",
		"RBP(p=high)":             "p is a probability between 0 and 1, not \"high\"",
		"R(p=0.5)@5":              "R takes rel, judged_only, not \"p\"",
		"nDCG(rel=2)@10":          "nDCG takes judged_only, dcg, not \"rel\"",
		"RBP(dcg=log2)":           "RBP takes rel, judged_only, p, not \"dcg\"",
		"Judged(rel=2)@10":        "Judged takes no parameter, not \"rel\"",
		"NumQ(rel=2)":             "takes no parameter",
		"Sets(rel=2)@5":           "takes no parameter",
		"R(rel=2,)@5":             "not \"\"",
		"R(\x1b[31m=2)@5":         "takes rel",
		"R(rel=2@5":               "the parenthesis is not closed",
		"R)rel=2(@5":              "the parenthesis is not closed",
		"R(rel=2)5":               "\"5\" behind the parenthesis is no cut-off",
		"R(rel=2)":                "needs a cut-off, e.g. R@5",
		"IPrec":                   "needs a share of recall, e.g. IPrec@0.1",
		"IPrec@1.1":               "a share of recall is a number from 0 to 1, not \"1.1\"",
		"IPrec@-0.1":              "a share of recall",
		"IPrec@nan":               "a share of recall",
		"GMAP@5":                  "takes no cut-off; it is GMAP",
		"NumRet@5":                "takes no cut-off",
		"rbp(p=0.9)@0":            "whole number from 1",
		"iprec_at_recall_0.10":    "is called IPrec@0.1 here",
		"gm_map":                  "is called GMAP here",
		"rbp_5":                   "unknown measure",
		"Precision(rel=2)@\x1b[5": "did you mean P@",
		"recall@\x1b[31m":         "means two things",
		"nDGC@\x1b[31m":           "did you mean nDCG@",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v, want %q", text, err, words)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%q: the error drives the terminal", text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{usualNames, "recall_5", "nDGC@10", "@", "R@@5", "MAP,MRR", "R(rel=2)@5 nDCG(dcg='exp-log2',judged_only=True)@10", "RBP(p=0.5, rel=3)", "IPrec@-0 IPrec(rel=2)@.1", "AP(", "P)@5(", "RR(rel=2)x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		measures, err := Parse(text)
		if err != nil {
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
				t.Errorf("%q: the error %q drives the terminal", text, err)
			}
			return
		}
		for _, m := range measures {
			if again, err := ParseOne(m.String()); err != nil || again != m {
				t.Errorf("%q is read as %s, and that as %s (%v)", text, m, again, err)
			}
		}
	})
}

func TestKnownMeasuresParse(t *testing.T) {
	for _, n := range Known() {
		name := strings.NewReplacer("[@k]", "", "@k", "@5", "@x", "@0.5").Replace(n[0])
		if m, err := ParseOne(name); err != nil || strings.Replace(m.String(), "(p=0.8)", "", 1) != name || n[1] == "" {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
}

func TestTrecNames(t *testing.T) {
	for ours, theirs := range map[string]string{
		"R@5": "recall_5", "P@5": "P_5", "RR": "recip_rank", "nDCG@10": "ndcg_cut_10", "nDCG": "ndcg", "AP": "map", "AP@5": "map_cut_5",
		"Success@5": "success_5", "SetP": "set_P", "SetR": "set_recall", "Rprec": "Rprec", "RR@10": "", "Judged@10": "", "Judged": "",
		"SetF": "set_F", "SetAP": "set_map", "Bpref": "bpref", "infAP": "infAP", "GMAP": "gm_map", "NumRelRet": "num_rel_ret", "RBP(p=0.9)": "rbp", "RBP": "",
		"IPrec@0": "iprec_at_recall_0.00", "IPrec@.1": "iprec_at_recall_0.10", "ERR@20": "", "Sets@5": "", "nDCG(dcg='exp-log2')@10": "", "R(rel=2)@5": "recall_5",
	} {
		m, err := ParseOne(ours)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := m.TrecName(); got != theirs && ok || ok != (theirs != "") {
			t.Errorf("%s is trec_eval's %q (%v), want %q", ours, got, ok, theirs)
		}
	}
}
