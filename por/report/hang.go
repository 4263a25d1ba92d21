package report

import "github.com/gopor/gopor/sched/trace"

// This file is about executions that take more virtual time than the limit allows.

// hangs begins what is said of them.
const hangs = "hangs: "

// judgeHang says which goroutine waits for what in an execution that hangs, and what goes on. If goroutines wait
// for each other the bug has a name, and something to say about it.
func (x *examination) judgeHang(v *ruling, f trace.Failure, bug, about string) {
	v.bug = "hang"
	hang := f.Waits.Hang
	waits, goes := hang.Waiting(), hang.Rest()
	found := goes != ""
	switch {
	case bug != "":
		v.bug = "deadlock" + bug
		waits = kindOf(f) + bug + ": " + about
	case f.Part != "":
		waits = "in " + f.Part + ", " + waits
	}
	switch {
	case !found && bug != "":
		goes, found = x.mainRepeats(v, "main goes on"), true
	case !found:
		waits = x.mainRepeats(v, waits)
	case hang.GoesOn:
		v.goesOn = x.latestWaiter()
		if i, waits := x.waits.last[v.goesOn]; waits && x.entries[i].File != "" {
			goes += " (" + position(&x.entries[i]) + ")"
		}
	}
	v.headline = hangs + waits
	if found {
		v.headline += "; " + goes
	}
}

// mainRepeats says what main does again and again, which goes on itself, and makes the last rounds what
// the failure is about. It returns what was to be said otherwise if these are not known.
func (x *examination) mainRepeats(v *ruling, otherwise string) string {
	names, rounds := x.repeats()
	if len(names) == 0 || names[0] != "main" {
		return otherwise
	}
	r := rounds["main"]
	objects := make(map[string]bool)
	for _, i := range r.entries {
		objects[x.entries[i].Obj] = true
	}
	v.seeds = append(append(v.seeds, r.entries...), x.lastUses(objects)...)
	v.repeats = true
	return "main repeats " + x.roundInWords(r.last()) + ", for ever"
}

// latestWaiter returns the goroutine that was the last to move, of those that wait.
func (x *examination) latestWaiter() (name string) {
	latest := -1
	for who, i := range x.waits.last {
		if i > latest {
			name, latest = who, i
		}
	}
	return name
}

// isHang reports whether the test had not returned in the time that it may take, see por.MaxClock.
func isHang(f trace.Failure) bool { return f.Waits != nil && f.Waits.Hang != nil }
