package redact

import "strings"

// A vendor's keys begin alike. What follows is of letters, digits, and the signs that join names them.
type vendor struct {
	prefix string // in the case in which it is written
	least  int    // characters after it, at least
	most   int    // and at most; 0 for any number
	class  string // beside letters and digits
	upper  bool   // letters are capitals
}

// vendors are by the first letter in lower case.
var vendors = func() (t [256][]vendor) {
	for _, v := range [...]vendor{
		{"ghp_", 20, 0, "", false}, {"gho_", 20, 0, "", false}, {"ghu_", 20, 0, "", false}, {"ghs_", 20, 0, "", false}, {"ghr_", 20, 0, "", false}, {"github_pat_", 20, 0, "_", false},
		{"glpat-", 16, 0, "_-.", false}, {"gldt-", 16, 0, "_-", false}, {"glrt-", 16, 0, "_-", false}, {"glptt-", 16, 0, "_-", false}, {"glcbt-", 16, 0, "_-", false}, {"glsa_", 20, 0, "_", false}, {"glc_", 20, 0, "_=+/", false}, {"gsk_", 20, 0, "", false}, {"gocspx-", 16, 0, "_-", false},
		{"xoxa-", 10, 0, "-", false}, {"xoxb-", 10, 0, "-", false}, {"xoxc-", 10, 0, "-", false}, {"xoxd-", 10, 0, "-%/+=", false}, {"xoxe-", 10, 0, "-", false}, {"xoxe.", 10, 0, "-.", false}, {"xoxp-", 10, 0, "-", false}, {"xoxr-", 10, 0, "-", false}, {"xoxs-", 10, 0, "-", false}, {"xapp-", 10, 0, "-", false}, {"xkeysib-", 20, 0, "-", false}, {"xsmtpsib-", 20, 0, "-", false}, {"xai-", 30, 0, "", false},
		{"sk-", 16, 0, "_-", false}, {"sk_live_", 8, 0, "", false}, {"sk_test_", 8, 0, "", false}, {"pk_live_", 8, 0, "", false}, {"pk_test_", 8, 0, "", false}, {"rk_live_", 8, 0, "", false}, {"rk_test_", 8, 0, "", false}, {"whsec_", 8, 0, "+/=_", false}, {"sq0atp-", 16, 0, "_-", false}, {"sq0csp-", 16, 0, "_-", false}, {"sbp_", 20, 0, "_", false}, {"sb_secret_", 16, 0, "_-", false}, {"sntrys_", 20, 0, "_+/=.", false}, {"sntryu_", 20, 0, "", false}, {"secret_", 30, 0, "", false}, {"sgp_", 20, 0, "_", false}, {"squ_", 20, 0, "", false}, {"sqp_", 20, 0, "", false},
		{"SG.", 20, 0, "_-.", false}, {"SK", 32, 32, "", false}, {"shpat_", 16, 0, "", false}, {"shpca_", 16, 0, "", false}, {"shppa_", 16, 0, "", false}, {"shpss_", 16, 0, "", false}, {"signal-", 40, 0, "", false},
		{"AKIA", 12, 24, "", true}, {"ASIA", 12, 24, "", true}, {"ABIA", 12, 24, "", true}, {"ACCA", 12, 24, "", true}, {"AROA", 12, 24, "", true}, {"AIDA", 12, 24, "", true}, {"AIza", 25, 0, "_-", false}, {"ATATT3x", 20, 0, "_-=.", false}, {"ATCTT3x", 20, 0, "_-=.", false}, {"ATBB", 28, 40, "", false}, {"AGE-SECRET-KEY-1", 20, 0, "", true}, {"amzn.mws.", 20, 0, "-.", false}, {"AC", 32, 32, "", false}, {"apify_api_", 20, 0, "", false}, {"ABSK", 40, 0, "+/=", false},
		{"ya29.", 16, 0, "_-.", false}, {"1//0", 30, 0, "_-", false}, {"npm_", 20, 0, "", false}, {"NRAK-", 16, 0, "", false}, {"nvapi-", 20, 0, "_-", false}, {"ntn_", 20, 0, "", false}, {"pypi-", 20, 0, "_-", false}, {"PMAK-", 20, 0, "-", false}, {"pscale_", 20, 0, "_-.", false}, {"pul-", 30, 0, "", false}, {"phc_", 20, 0, "", false}, {"phx_", 20, 0, "", false}, {"pat_", 30, 0, "_-", false}, {"pplx-", 20, 0, "", false},
		{"dckr_pat_", 16, 0, "_-", false}, {"dop_v1_", 20, 0, "", false}, {"doo_v1_", 20, 0, "", false}, {"dor_v1_", 20, 0, "", false}, {"dapi", 32, 40, "-", false}, {"dp.pt.", 20, 0, "", false}, {"dp.st.", 20, 0, "._-", false}, {"hf_", 20, 0, "", false}, {"hvs.", 16, 0, "_-", false}, {"hvb.", 16, 0, "_-", false}, {"hvr.", 16, 0, "_-", false}, {"key-", 32, 32, "", false},
		{"lin_api_", 16, 0, "", false}, {"figd_", 16, 0, "_-", false}, {"fo1_", 20, 0, "_-", false}, {"FlyV1 ", 20, 0, "_-+/=,", false}, {"rzp_live_", 8, 0, "", false}, {"rzp_test_", 8, 0, "", false}, {"r8_", 20, 0, "", false}, {"rubygems_", 20, 0, "", false}, {"rpa_", 30, 0, "", false}, {"rdme_", 30, 0, "", false}, {"tskey-", 12, 0, "-", false}, {"tfp_", 30, 0, "", false}, {"EAACEdEose0cBA", 10, 0, "", false}, {"EAAA", 40, 0, "_-", false}, {"EAAC", 40, 0, "", false}, {"EZAK", 40, 0, "", false}, {"EZTK", 40, 0, "", false}, {"ops_eyJ", 40, 0, "_-", false}, {"CFPAT-", 20, 0, "_-", false}, {"LTAI", 12, 24, "", false}, {"bfp_", 20, 0, "", false}, {"vercel_", 20, 0, "", false}, {"whk_", 20, 0, "", false}, {"mcp_", 30, 0, "_-", false}, {"jina_", 30, 0, "_-", false}, {"ico-", 32, 0, "", false}, {"cio-", 30, 0, "", false}, {"ctx7sk-", 20, 0, "-", false}, {"tvly-", 16, 0, "-", false}, {"uptr_", 16, 0, "", false}, {"ubr_", 16, 0, "", false},
	} {
		c := v.prefix[0] | 0x20
		t[c] = append(t[c], v)
	}
	return t
}()

// vendor is where the key of a vendor that begins at i ends, i if there is none.
func (s *scan) vendor(i int) int {
	for _, v := range vendors[s.low[i]] {
		if !s.has(i, strings.ToLower(v.prefix)) || v.upper && string(s.text[i:i+len(v.prefix)]) != v.prefix {
			continue
		}
		k := i + len(v.prefix)
		from, digits, capitals := k, 0, 0
		for ; k < len(s.free); k++ {
			c := s.free[k]
			if isDigit(c) {
				digits++
			} else if !isLower(c) {
				if c >= 0x80 || strings.IndexByte(v.class, c) < 0 {
					break
				}
			} else if s.text[k] != c {
				capitals++
			} else if v.upper {
				break
			}
		}
		for k > from && (s.low[k-1] == '-' || s.low[k-1] == '.' || s.low[k-1] == ',') {
			k--
		}
		// Keys have figures, but by chance a short one has none; names of things that begin like keys have no capitals.
		if n := k - from; n >= v.least && (v.most == 0 || n <= v.most) && (digits > 0 || capitals > 2 || v.upper) && (digits > 1 || capitals > 1) {
			return k
		}
	}
	return i
}
