package docs

import "strings"

// cutPlain cuts text without markup: paragraphs end at blank lines.
func cutPlain(text, title string, c Chunking) []piece {
	return pack(text, []section{{title: title, blocks: paragraphs(text, 0, len(text))}}, c)
}

// paragraphs are the stretches between blank lines.
func paragraphs(text string, start, end int) []block {
	var found []block
	from := start
	flush := func(to int) {
		if b, ok := stretch(text, from, to, prose); ok {
			found = append(found, b)
		}
		from = to
	}
	for at := start; at < end; {
		stop := end
		if i := strings.IndexByte(text[at:end], '\n'); i >= 0 {
			stop = at + i + 1
		}
		if strings.TrimSpace(text[at:stop]) == "" {
			flush(at)
			from = stop
		}
		at = stop
	}
	flush(end)
	return found
}
