package text

// Shingles appends to dst the hashes of a text's character n-grams, a space before and after it included; each n-gram
// as often as it comes. A text shorter than n has one.
func Shingles(dst []uint64, s string, n int) []uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	runes := make([]rune, 0, 128)
	runes = append(runes, ' ')
	for _, r := range s {
		runes = append(runes, r)
	}
	runes = append(runes, ' ')
	for i := 0; i == 0 || i+n <= len(runes); i++ {
		h := uint64(offset)
		for _, r := range runes[i:min(i+n, len(runes))] {
			h = (h ^ uint64(r)) * prime
		}
		dst = append(dst, mixed(h))
	}
	return dst
}

// MinHash fills a signature: of two texts' signatures as many places are equal, as a share of all, as the Jaccard
// similarity of their sets of shingles is on average (Broder 1997). The places are independent.
func MinHash(signature []uint32, shingles []uint64) {
	for i := range signature {
		seed := mixed(uint64(i) + 1)
		least := ^uint64(0)
		for _, s := range shingles {
			if h := (s ^ seed) * 0x9e3779b97f4a7c15; h < least {
				least = h
			}
		}
		signature[i] = uint32(mixed(least) >> 32)
	}
}

// mixed spreads each bit over all (the finalizer of SplitMix64, Steele, Lea and Flood 2014).
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
