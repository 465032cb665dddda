package tui

import (
	"reflect"
	"runtime/debug"

	tea "github.com/charmbracelet/bubbletea"
)

// crashMsg says that something panicked. Bubble Tea catches panics too, but prints them onto the screen in use and
// quits without closing anything; here a panic takes the same way out as any other ending.
type crashMsg struct{ err *CrashError }

func crashed(value any) crashMsg { return crashMsg{&CrashError{Value: value, Stack: debug.Stack()}} }

// guard is cmd with panics turned into a crashMsg, in every Cmd that comes of it too.
func guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = crashed(r)
			}
		}()
		return guardAll(cmd())
	}
}

// guardAll guards the Cmds in a tea.BatchMsg or in Bubble Tea's own sequence message, whose type is kept, since that is
// what Bubble Tea knows it by.
func guardAll(msg tea.Msg) tea.Msg {
	if _, ok := cmdsIn(msg); !ok {
		return msg
	}
	from := reflect.ValueOf(msg)
	to := reflect.MakeSlice(from.Type(), from.Len(), from.Len())
	for i := range from.Len() {
		to.Index(i).Set(reflect.ValueOf(guard(from.Index(i).Interface().(tea.Cmd))))
	}
	return to.Interface()
}

// cmdsIn are the Cmds that a message carries.
func cmdsIn(msg tea.Msg) ([]tea.Cmd, bool) {
	v := reflect.ValueOf(msg)
	if !v.IsValid() || v.Kind() != reflect.Slice || v.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return nil, false
	}
	cmds := make([]tea.Cmd, v.Len())
	for i := range cmds {
		cmds[i] = v.Index(i).Interface().(tea.Cmd)
	}
	return cmds, true
}

// runAll runs cmd and every Cmd in it to the end, one after the other, and returns what they said.
func runAll(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	msg := guard(cmd)()
	if msg == nil {
		return nil
	}
	cmds, ok := cmdsIn(msg)
	if !ok {
		return []tea.Msg{msg}
	}
	var msgs []tea.Msg
	for _, c := range cmds {
		msgs = append(msgs, runAll(c)...)
	}
	return msgs
}
