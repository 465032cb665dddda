// Package cell is the one place of the terminal program that measures, cuts, wraps, pads and colours.
//
// Everything shown passes through here and is made inert on the way (text.Sanitize): corpus text, ids, names and
// errors hold escape sequences, bidi overrides and zero-width characters, and a screen that draws with Line, Wrap and
// Frame can't forget that. Styled strings are made by this package only; others are plain text, sanitised again
// whenever they are drawn, which is cheap because Sanitize is idempotent and only the visible part is looked at.
//
// Terminals disagree on how wide a text is: newer ones draw a grapheme cluster as a whole (an emoji family takes two
// cells), older ones and tmux add up code points (eight). No program can know which one it runs in, so the central
// decision here is to take both at their word: text is cut and wrapped by whichever measure is larger, so that a line
// never overflows in either kind; and what stands to the right of a text on which the two disagree is placed with an
// absolute column, so that columns stay aligned in both. Both measures come from charmbracelet/x/ansi.
//
// Colours are the 16 that every terminal has, chosen by meaning (Theme), built once a session from a renderer of the
// session's own; without colour the text marks stay: ›, [2], [match].
//
// Imports: x/ansi, lipgloss, Bubble Tea's key messages, corpus (for Span) and corpus/text.
package cell
