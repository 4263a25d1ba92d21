package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gopor/gopor/internal/advice"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
	"github.com/gopor/gopor/sched/trace"
)

// Verdict says what a search has covered, what it has found, and what it takes for
// granted. See "What a verdict means" in the documentation of package por.
type Verdict struct {
	// Engine is the name of the engine that has searched, Title what the text calls it.
	Engine, Title string
	// Options is how the executions were run: how time passes, how races, random
	// numbers, maps and the models of primitives are treated. Of a program that is no
	// Go closure only MaxSteps counts.
	Options exec.Options
	Stats   trace.Stats
	// Unit is what the complete executions are if everything was covered: "traces",
	// "interleavings"; "" if some may show the same thing twice.
	Unit string
	// Failures is how many distinct failures were found.
	Failures int
	// Checked says what was looked at in every execution, besides failures, "" for nothing:
	// "each history is linearizable".
	Checked string
	// Covered says that everything was covered that the options leave to explore:
	// the search has come to its end, and its engine has no bound that it met.
	Covered bool
	Extent
	// Drawn is how many executions were drawn at random by an engine that also searches.
	Drawn int64
	// Unfair is how many executions were cut short since their schedule is unfair: see
	// [trace.FailStarved], or too long to explore, in a test that knows nothing of package
	// por.
	Unfair int64

	// Limit says why not everything was covered, "" if it was or a failure ended the
	// search: "time limit", "bounded", "an error".
	Limit string
	// Assumptions is what executions met that could change the result and was not
	// explored, the most telling first.
	Assumptions []exec.Assumption
	// Granted are the kinds of assumptions that the option por.Grant allows.
	Granted []sched.AssumptionKind
	// Exhaustive says that everything was covered, and nothing met that could change
	// the result, apart from what is granted.
	Exhaustive bool
	// Replayed says that there was no search: the one schedule of a replay string was
	// run, of as many steps as Stats has.
	Replayed bool
	// Then is the verdict of the search by lag that has followed one in discrete time, or of
	// that with other random numbers that has found a failure, nil if there is none; see por.Time,
	// por.RandSeed. All the rest is of the first search, but Failures.
	Then *Verdict
	// Seeds is with the random numbers of how many other seeds executions were drawn, and
	// Reseeded how many executions; see por.RandSeed.
	Seeds, Reseeded int64
	// Slow says of a test that knows nothing of package por when it fails by lag, which is
	// no failure since code has to be late by more than is usual; "" if it does not.
	Slow string
	// Behind has the goroutines that an execution has left behind and that something still reaches,
	// a line for each. They are no failure, unless por.StrictLeaks says so.
	Behind []string
	// Properties are those that executions have declared or reached, of all searches; those that
	// no execution has reached come first. See por.Sometimes.
	Properties []Property
	// Faults says what was covered with faults, nil if there were to be none. The rest of the
	// verdict, but Exhaustive and Then, is of the executions without faults.
	Faults *FaultCover
	// Note is what else there is to say, "" for nothing.
	Note string
	// Cause is what the texts say of Limit.
	Cause Cause
}

// Extent is what was covered.
type Extent struct {
	// Claim says in words what was covered, if that is not everything and can be said:
	// "every trace with at most 1 preemption".
	Claim string
	// Alike is where executions have started goroutines that are interchangeable, as the search
	// has found: what was covered is one execution of those that differ by an exchange of them.
	Alike []exec.Alike
}

// Cause is why a search has not covered more.
type Cause struct {
	Needs        string // the limit, and what moves it, "time: por.MaxTime"; "" if nothing does
	Flags        bool   // the texts of the verdict name flags of por check, and not options
	Uncontrolled string // why goroutines of the program were not under control, "" if all were
	Long         bool   // some executions are too long to explore, see [Verdict.Unfair]
}

// from returns whose settings the texts of the verdict name.
func (v *Verdict) from() advice.FrontEnd {
	if v.Cause.Flags {
		return advice.ByFlags
	}
	return advice.ByOptions
}

// String returns the verdict in one line.
func (v Verdict) String() string {
	text := ""
	w := v
	by, orders := v.Last().Title, v.leaves()
	for ; w.Then != nil; w = *w.Then {
		text += w.first(w.mode()+w.pools(&v)+w.libraries(orders)+w.without(), by) + "; "
	}
	if text != "" || w.Options.Time == sched.TimeLag {
		text += w.line(w.mode() + w.pools(&v) + w.libraries(orders))
	} else {
		text = w.line(w.libraries(orders) + w.without())
	}
	if v.Faults != nil && v.Failures == 0 {
		text += v.Faults.text()
	}
	text += v.properties()
	for w := &v; w != nil; w = w.Then {
		switch {
		case w == &v && w.Note != "":
			text += "; " + w.Note
		case w != &v && w.Stats.Counts != "":
			text += ";" + w.mode() + " " + w.Stats.Basis
		}
	}
	return text
}

// Last returns the verdict of the search that came last.
func (v *Verdict) Last() *Verdict {
	for v.Then != nil {
		v = v.Then
	}
	return v
}

// mode says how time has passed, beginning with a space.
func (v Verdict) mode() string {
	text := " in discrete time"
	switch v.Options.Time {
	case sched.TimeLag:
		text = fmt.Sprintf(" by lag of %v", v.Options.Lag)
	case sched.TimeAnyOrder:
		text = " with timers in any order"
	}
	if v.Options.Seed != 0 {
		text += fmt.Sprintf(" with the random numbers of seed %d", v.Options.Seed)
	}
	if v.Options.Model&sched.ModelStream != 0 {
		text += " with Reads that join and split"
	}
	return text + v.planned()
}

// pools says that goroutines share Pools, if they do not in the first search, beginning with a
// space.
func (v Verdict) pools(first *Verdict) string {
	if !first.Options.OwnPools || v.Options.OwnPools {
		return ""
	}
	return " with shared Pools"
}

// leaves reports whether the search, or one that followed, has left races inside libraries.
func (v *Verdict) leaves() bool {
	for ; v != nil; v = v.Then {
		if v.Options.Library != sched.LibraryAll && slices.ContainsFunc(v.Assumptions, isLeftRace) {
			return true
		}
	}
	return false
}

func isLeftRace(a exec.Assumption) bool {
	return a.Kind == sched.AssumeModel && a.Is(hook.LibraryRace)
}

// libraries says which races inside libraries were left, beginning with a space. The argument
// orders says that one of the searches has left some.
func (v Verdict) libraries(orders bool) string {
	switch {
	case !orders:
		return ""
	case v.Options.Library == sched.LibraryKept:
		return " with races inside libraries in one order"
	case v.Options.Library == sched.LibraryOwn:
		return " with races among a library's goroutines in one order"
	}
	return " with all races inside libraries"
}

// first says what a search has covered that was followed by others, the last one by the engine of
// that title; mode is what it says of how its executions differ from theirs.
func (v Verdict) first(mode, last string) string {
	if v.Title != last {
		mode += " by " + v.Title
	}
	if v.Covered {
		return v.all(mode)
	}
	return fmt.Sprintf("%s explored%s%s, %s (%s)", format.Counted(v.Stats.Executions, "execution"), mode, v.part(), v.none(), v.why())
}

// line is the verdict of one search; mode is what it says of how time has passed.
func (v Verdict) line(mode string) string {
	n, took := v.Stats.Executions, format.Time(v.Stats.Elapsed)
	switch {
	case v.Replayed && v.Failures > 0:
		return fmt.Sprintf("replayed %s; the execution fails", format.Counted(v.Stats.Steps, "step"))
	case v.Replayed:
		return fmt.Sprintf("replayed %s; the schedule runs without failure now", format.Counted(v.Stats.Steps, "step"))
	case v.Failures > 0:
		found := "a failure was found"
		if v.Failures > 1 {
			found = fmt.Sprintf("%d distinct failures were found", v.Failures)
		}
		return fmt.Sprintf("%s explored%s in %s, %s (%s)", format.Counted(n, "execution"), mode, took, found, v.Title)
	case !v.Covered:
		return fmt.Sprintf("%s explored%s in %s%s, %s; NOT exhaustive (%s; %s)", format.Counted(n, "execution"), mode, took, v.part(), v.none(), v.why(), v.Title)
	}
	open := v.Open()
	if len(open) == 0 && v.Slow != "" {
		return fmt.Sprintf("%s; NOT exhaustive: code is not always that late (%s, %s)", v.all(mode), v.Title, took)
	}
	if len(open) > 0 {
		more := ""
		if k := len(open) - 1; k > 0 {
			more = fmt.Sprintf(", and %d more", k)
		}
		short := advice.Of(open[0]).Short
		if open[0].Kind == sched.AssumeRandom && v.Seeds > 0 {
			others := "another"
			if v.Seeds > 1 {
				others = fmt.Sprintf("%d others", v.Seeds)
			}
			short = fmt.Sprintf("random numbers come from one seed, and in %s drawn at random from %s", format.Counted(v.Reseeded, "execution"), others)
		}
		return fmt.Sprintf("%s; NOT exhaustive: %s (%s)%s (%s, %s)", v.all(mode), short, advice.Placed(open[0]), more, v.Title, took)
	}
	granted := ""
	if g := v.granted(); len(g) > 0 {
		granted = ", granted: " + strings.Join(g, ", ")
	}
	return fmt.Sprintf("%s (exhaustive%s; %s, %s)", v.all(mode), granted, v.Title, took)
}

// all says that everything was covered.
func (v Verdict) all(mode string) string {
	n := v.Stats.Executions - v.Stats.Again
	mode += v.exchange()
	switch {
	case v.Unit == "":
		return format.Counted(n, "execution") + " explored" + mode + ", " + v.none()
	case n == 1:
		return fmt.Sprintf("the only %s explored%s, it does not fail%s", strings.TrimSuffix(v.Unit, "s"), mode, v.also())
	}
	return fmt.Sprintf("all %s explored%s, %s", format.Counted(n, v.Unit), mode, v.none())
}

// exchange says of what was covered that it is one of those that differ by an exchange of
// goroutines, if that was promised, or found.
func (v Verdict) exchange() string {
	if v.Options.Symmetric {
		return ", up to exchange of goroutines of one go statement"
	}
	text := ""
	for i, a := range v.Alike {
		if i == 0 {
			text = fmt.Sprintf(", up to renaming of %d goroutines (%s:%d)", a.N, filepath.Base(a.File), a.Line)
		} else {
			text += fmt.Sprintf(" and of %d (%s:%d)", a.N, filepath.Base(a.File), a.Line)
		}
	}
	return text
}

// none says that no failure was found.
func (v Verdict) none() string {
	if v.Slow != "" {
		return "none fails " + v.Slow
	}
	return "none fails" + v.also()
}

// also says what was checked besides failures, beginning with a comma.
func (v Verdict) also() string {
	if v.Checked == "" {
		return ""
	}
	return ", " + v.Checked
}

// part says what was covered of a search that has not covered everything, beginning
// with a comma.
func (v Verdict) part() string {
	text := ""
	if v.Claim != "" {
		text = ", " + v.Claim
		if exchange := v.exchange(); exchange != "" {
			text += exchange + ","
		}
		text += " among them"
	}
	if v.Drawn > 0 {
		text += fmt.Sprintf(", %s drawn at random", format.Grouped(v.Drawn))
	}
	if v.Stats.Fruitless != "" {
		text += ", no complete one by " + v.Stats.Fruitless
	}
	return text
}

// why says why not everything was covered.
func (v Verdict) why() string {
	if v.Unfair == 0 {
		return v.Limit
	}
	text := fmt.Sprintf("%s; %s more cut short at the step limit", v.Limit, format.Grouped(v.Unfair))
	if !v.Cause.Long {
		text += ", where a loop polled and others were kept waiting"
	}
	return text
}

// Open returns the assumptions that are not granted.
func (v Verdict) Open() []exec.Assumption {
	var open []exec.Assumption
	for _, a := range v.Assumptions {
		if !slices.Contains(v.Granted, a.Kind) {
			open = append(open, a)
		}
	}
	return open
}

// granted says, for every kind of assumption that was met and is granted, what that
// is, and what the options have given up.
func (v Verdict) granted() []string {
	var texts []string
	if v.Options.Races == sched.RaceIgnore {
		texts = append(texts, "data races are ignored")
	}
	for _, a := range v.Assumptions {
		if t := advice.Of(a).Short; slices.Contains(v.Granted, a.Kind) && !slices.Contains(texts, t) {
			texts = append(texts, t)
		}
	}
	return texts
}

// Details returns, in several lines, every assumption that was met, its place, and
// which option explores it or what else to do about it. It is empty if nothing was
// met, or a failure was found.
func (v Verdict) Details() string {
	if v.Then != nil {
		return v.Then.Details()
	}
	if len(v.Assumptions) == 0 || v.Failures > 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("this takes for granted:\n")
	for i, a := range v.Assumptions {
		t := advice.Of(a)
		if a.Kind == sched.AssumeClock && t.What == "" && v.Options.Time == sched.TimeLag {
			t.Long = fmt.Sprintf("timers fire in the order of their deadlines, and code takes no time, or until a deadline at most %v away", v.Options.Lag)
		}
		if i == 0 || advice.Rank(v.Assumptions[i-1]) != advice.Rank(a) {
			granted := ""
			if slices.Contains(v.Granted, a.Kind) {
				granted = " (granted)"
			}
			fmt.Fprintf(&b, "  that %s%s, because of\n", t.Long, granted)
		}
		fmt.Fprintf(&b, "      %v\n", a)
		if i+1 == len(v.Assumptions) || advice.Rank(v.Assumptions[i+1]) != advice.Rank(a) {
			if text := t.ToDo(v.from()); text != "" && !v.isSet(t.Set) {
				fmt.Fprintf(&b, "    %s\n", text)
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
