package redact

import (
	"net/netip"
	"strings"
)

// addresses finds IP addresses and claims those that can identify somebody. The others are held, so that their digits
// aren't taken for a number.
func (s *scan) addresses() {
	for i := 0; i < len(s.free); i++ {
		c := s.free[i]
		if isDigit(c) && !isDigit(s.at(i-1)) {
			if end := s.quad(i); end > 0 {
				i = end - 1
				continue
			}
		}
		if c == ':' && s.at(i-1) != ':' && (isHex(s.at(i-1)) || s.at(i+1) == ':') {
			if end := s.sixth(i); end > 0 {
				i = end - 1
			}
		}
	}
}

// quad reads four parts with dots at i; end is 0 where there is nothing to hold.
func (s *scan) quad(i int) (end int) {
	var parts [4]byte
	digits := 0
	sep := ""
	k := i
	for p := range parts {
		from, n := k, 0
		for ; isDigit(s.at(k)); k++ {
			n = n*10 + int(s.at(k)-'0')
			if k-from == 3 || n > 255 {
				return 0
			}
		}
		if k == from {
			return 0
		}
		parts[p] = byte(n)
		digits += k - from
		if p == 3 {
			break
		}
		if p == 0 {
			for _, w := range [...]string{".", " . ", " dot ", "-", ".\n", "\n.", " .", ". "} {
				if s.has(k, w) && isDigit(s.at(k+len(w))) {
					sep = w
					break
				}
			}
			if sep == "" {
				return 0
			}
		}
		if !s.has(k, sep) {
			if sep[0] != '.' && sep[0] != '\n' || s.at(k) != '.' {
				return 0
			}
			k++
			continue
		}
		k += len(sep)
	}
	ip := netip.AddrFrom4(parts)
	if (sep == " ." || sep == ". ") && (parts[0] < 32 || parts[1] < 32 && parts[2] < 32 && parts[3] < 32) {
		return 0 // numbers of a list
	}
	// What stands before and after says when it is something else.
	before, after := s.at(i-1), s.at(k)
	switch {
	case after == '.' && isDigit(s.at(k+1)):
		return 0
	case before == '.' && isWord(s.at(i-2)), before == '+', before == '-' && isDigit(s.at(i-2)):
		return 0
	}
	if s.has(k, ".in-addr.arpa") {
		end = k + len(".in-addr.arpa")
		s.claim(IP, i, end, ip.String()+".in-addr.arpa")
		return end
	}
	if sep == "-" {
		if w := s.wordBefore(i - 1); !(after == '.' && isLower(s.at(k+1)) && !isWord(before)) && (before != '-' || w != "ip" && w != "ec2" && w != "host" && w != "dsl" && w != "dyn" && w != "static") {
			return 0
		}
		s.claim(IP, i, k, ip.String())
		return k
	}
	if isLower(before) {
		if w := s.wordBefore(i); w == "v" || !ipWords[w] {
			return s.holdTo(i, k)
		}
	}
	if s.versioned(i, k, parts) {
		return s.holdTo(i, k)
	}
	bits := -1
	if after == '/' && isDigit(s.at(k+1)) {
		bits = int(s.at(k+1) - '0')
		if isDigit(s.at(k + 2)) {
			bits = bits*10 + int(s.at(k+2)-'0')
		}
	}
	if nobody(ip, bits) || s.tail(k, ip) {
		return s.holdTo(i, k)
	}
	s.claim(IP, i, k, ip.String())
	return k
}

func (s *scan) holdTo(i, k int) int {
	s.hold(i, k)
	return k
}

// wordBefore is the run of letters that ends before i.
func (s *scan) wordBefore(i int) string {
	k := i
	for k > 0 && (isLower(s.low[k-1]) || isDigit(s.low[k-1]) && k < i) {
		k--
	}
	return string(s.low[max(k, 0):max(i, 0)])
}

// nobody reports whether an address identifies nobody: it stands for the host itself, for all, for a network, for an
// example, or it is known to everybody.
func nobody(ip netip.Addr, bits int) bool {
	ip = ip.Unmap()
	if ip.IsLoopback() || ip.IsUnspecified() || ip.IsMulticast() {
		return true
	}
	for _, p := range namesNobody {
		if p.Contains(ip) {
			return true
		}
	}
	if ip.IsPrivate() || ip.Is6() && bits < 48 {
		// A private network; a host has bits beyond the prefix.
		if bits >= 0 && bits < ip.BitLen() && netip.PrefixFrom(ip, bits).Masked().Addr() == ip {
			return true
		}
	}
	return ip.IsPrivate() && ip.Is4() && ip.As4()[3] == 0 && bits < 0 || wellKnown[ip]
}

var namesNobody = [...]netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network; wildcard masks
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation (RFC 5737)
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved, broadcast and netmasks
	netip.MustParsePrefix("2001:db8::/32"),   // documentation (RFC 3849)
	netip.MustParsePrefix("3fff::/20"),       // documentation (RFC 9637)
}

// wellKnown are what everybody writes: the two examples, public resolvers, and where clouds keep metadata.
var wellKnown = map[netip.Addr]bool{
	netip.AddrFrom4([4]byte{1, 2, 3, 4}):         true,
	netip.AddrFrom4([4]byte{5, 6, 7, 8}):         true,
	netip.AddrFrom4([4]byte{1, 1, 1, 1}):         true,
	netip.AddrFrom4([4]byte{1, 0, 0, 1}):         true,
	netip.AddrFrom4([4]byte{8, 8, 8, 8}):         true,
	netip.AddrFrom4([4]byte{8, 8, 4, 4}):         true,
	netip.AddrFrom4([4]byte{9, 9, 9, 9}):         true,
	netip.AddrFrom4([4]byte{169, 254, 169, 254}): true,
}

// tail reports whether what follows the address makes it a version, as in 1.2.3.4-rc1.
func (s *scan) tail(k int, ip netip.Addr) bool {
	if isLower(s.at(k)) {
		return true
	}
	if (s.at(k) == '-' || s.at(k) == '+' || s.at(k) == '_') && isLower(s.at(k+1)) {
		from := k + 1
		for k++; isLower(s.at(k)); k++ {
		}
		return versionTails[string(s.low[from:k])]
	}
	return false
}

// versioned reports whether four numbers with dots are a version: a word beside them says so, or they are small and
// nothing says that they are an address.
func (s *scan) versioned(i, k int, parts [4]byte) bool {
	small := true
	for _, p := range parts {
		small = small && p < 32
	}
	before := s.wordsBefore(i, 5, 48)
	for n, w := range before {
		if ipWords[w] {
			return false
		}
		if versionWords[w] && (n < 3 || small) {
			return true
		}
	}
	for n, w := range s.wordsAfter(k, 2, 24) {
		if n == 0 && (w == "version" || w == "release" || w == "build") {
			return true
		}
		if ipWords[w] {
			return false
		}
	}
	if !small || parts[0] == 10 {
		return false
	}
	if s.at(i-1) == '/' || s.at(i-1) == '@' || s.at(i-1) == '[' && s.at(k) == ']' || s.at(k) == ':' && isDigit(s.at(k+1)) || s.at(k) == '/' && isDigit(s.at(k+1)) {
		return false
	}
	for _, w := range append(s.wordsBefore(i, 32, wide), s.wordsAfter(k, 32, wide)...) {
		if ipWords[strings.TrimRight(w, "0123456789")] {
			return false
		}
	}
	return len(s.low) > wide || len(strings.TrimSpace(string(s.low))) > k-i // alone it is looked up as an address
}

// wide is how far around a small quad a word is sought that says that it is an address: as far as a question is long.
const wide = 160

// sixth reads an address with colons around the first of them, at i.
func (s *scan) sixth(i int) (end int) {
	from := i
	for isHex(s.at(from - 1)) {
		from--
	}
	if i-from > 4 {
		return 0
	}
	to, colons, digits := i, 0, 0
	for isHex(s.at(to)) || s.at(to) == ':' || s.at(to) == '.' && colons > 1 {
		if to-from > 64 {
			return 0 // longer than any address
		}
		if s.at(to) == ':' {
			colons++
		}
		to++
	}
	for to > i && (s.at(to-1) == '.' || s.at(to-1) == ':' && s.at(to-2) != ':') {
		to--
	}
	for _, c := range s.free[from:to] {
		if isDigit(c) {
			digits++
		}
	}
	if colons < 2 || isPlain(s.at(from-1)) || isPlain(s.at(to)) || s.at(from-1) == ':' {
		return 0
	}
	ip, err := netip.ParseAddr(string(s.free[from:to]))
	if err != nil {
		return 0
	}
	zone := to
	if s.at(to) == '%' {
		for zone++; isWord(s.at(zone)) && zone < to+16; zone++ {
		}
	}
	bits := -1
	if s.at(to) == '/' {
		bits = 0
		for k := to + 1; isDigit(s.at(k)) && k < to+4; k++ {
			bits = bits*10 + int(s.at(k)-'0')
		}
	}
	switch {
	case nobody(ip, bits):
		return s.holdTo(from, to)
	case !assigned(ip), digits < 2 && colons < 7 && !ip.IsLinkLocalUnicast():
		return 0 // a path in code, such as dead::beef
	}
	s.claim(IP, from, zone, ip.Unmap().String())
	return zone
}

// assigned reports whether addresses like ip are given to hosts.
func assigned(ip netip.Addr) bool {
	if ip.Is4In6() {
		return true
	}
	b := ip.As16()
	return b[0]>>5 == 1 || ip.IsPrivate() || ip.IsLinkLocalUnicast() || b[0] == 0 && b[1] == 0x64
}

var (
	ipWords      = set("ip ips ipv addr address addresses ipaddress ipaddr host hosts server servers ping pings ssh scp telnet traceroute nslookup dig whois client dns gateway firewall login logins logged connect connected connecting connection curl wget http https router subnet vpn peer node machine remote endpoint blocked block whitelist allowlist denylist banned ban rdp ftp sftp nmap adresse direccion proxy visitor localhost listening target")
	versionWords = set("v ver version versions release releases build driver drivers firmware update updated upgrade upgraded upgrading downgrade patch hotfix chrome chromium edge java jdk elasticsearch windows android ios runtime sdk bios nuget")
	versionTails = set("rc beta alpha r p el ubuntu deb debian snapshot release ga hotfix build pre preview dev jre jdk bin win windows linux amd x ce ee final sp patch b a m fc rhel alpine slim stable nightly post")
)
