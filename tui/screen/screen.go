package screen

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Screen is a full view of the program. Methods other than View run in the root's Update only. Everything that may
// block runs in the tea.Cmds they return; a Cmd never touches the screen, it returns a message.
type Screen interface {
	// Init starts loading. Called once.
	Init() tea.Cmd
	// Resize tells the cells at hand: always at least 40×9 (the root draws "too small" otherwise).
	Resize(width, height int)
	// Update handles keys that the root did not claim and all other messages. Messages of another screen are ignored:
	// they carry a type of their own package.
	Update(msg tea.Msg) tea.Cmd
	// View is exactly height lines of at most width cells, without a final newline.
	View() string
	// Keys are the bindings of what has focus now, in the order in which help lists them.
	Keys() []Binding
	// InText reports whether a text field has focus: letters then belong to it and are never commands.
	InText() bool
	// Pending counts writes that are not acknowledged yet: the root does not quit while there are any.
	Pending() int
	// Shown is called when the screen is on top again: time to reload what others may have changed.
	Shown() tea.Cmd
	// Close saves drafts before the screen goes. The root runs the Cmd to its end before it quits.
	Close() tea.Cmd
}

// Binding is one action with the keys that start it. Keys are Bubble Tea's names ("j", "ctrl+s", "enter").
type Binding struct {
	Action string   // stable name, e.g. "grade-2", "undo": what the palette runs and a key map remaps
	Keys   []string // may be empty: palette only
	Help   string   // two to five words, e.g. "take back the last change"
	Group  string   // heading in help, e.g. "Grade", "Move"
	Short  string   // one word for the status line; "" keeps it out of there
	Text   bool     // opens a text field: what comes after its key in the same read is text, not commands
}

// Run is sent to the screen on top when an action was chosen by name in the palette.
type Run struct{ Action string }

// The messages by which a screen asks the root for something; each is sent from a tea.Cmd.
type (
	// OpenQuery shows a query in the label screen, and a chunk of it where ChunkID is not "". Above puts that screen on
	// top of the one that asks, so that leaving it comes back; else it is gone to where it is.
	OpenQuery struct {
		QueryID, ChunkID string
		Above            bool
	}
	// LabelChunks is OpenQuery, Above, with chunks of a run as a list of its own, in this order.
	LabelChunks struct {
		QueryID string
		Run     string // as people are told it, e.g. "bm25"
		Chunks  []Candidate
	}
	// OpenQueries and OpenCheck show those screens.
	OpenQueries struct{}
	OpenCheck   struct{}
	// Back leaves the screen on top; at the root it asks whether to quit.
	Back struct{}
	// Say puts a line into the status line of the screen on top.
	Say struct {
		Text string
		Bad  bool
	}
	// Changed tells all other screens that labels, queries or states changed.
	Changed struct{}
	// ShowText opens an overlay with plain text, e.g. the guidelines.
	ShowText struct{ Title, Text string }
)

// Candidate is a chunk that a run returned; Rank counts from 1, 0 where the run did not return it.
type Candidate struct {
	ChunkID string
	Rank    int
}

// Ask returns a Cmd that sends the message.
func Ask(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// Tick returns a Cmd that sends msg(now) after d. In the program it is tea.Tick, in tests a fake clock's, so that
// nothing sleeps there.
type Tick func(d time.Duration, msg func(time.Time) tea.Msg) tea.Cmd
