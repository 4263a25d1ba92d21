package advice

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/exec"
)

// An Assumption is a kind of assumption, in the words of verdicts.
type Assumption struct {
	Kind  sched.AssumptionKind
	name  string // of the constant in package sched
	What  string // the beginning of exec.Assumption.What, "" for all others
	Short string // what is taken for granted
	Long  string
	// remedy says what to do about it.
	remedy string
	// Set is the setting that explores it, NoSetting if there is none, and value its value.
	Set   Setting
	value string
}

// ToDo says what to do about an assumption, "" if the front end has nothing for it.
func (g Assumption) ToDo(from FrontEnd) string {
	text := g.remedy
	if g.Set != NoSetting {
		if from.Name(g.Set) == "" {
			return ""
		}
		text += ": " + cmp.Or(g.SetTo(from), from.Name(g.Set))
	}
	if grant := from.With(SettingGrant, "sched."+g.name); grant != "" {
		text += "; to take it for granted: " + grant
	}
	return text
}

// SetTo returns the setting with its value, "" if it has none.
func (g Assumption) SetTo(from FrontEnd) string {
	if g.value == "" {
		return ""
	}
	return from.With(g.Set, g.value)
}

// Assumptions has all kinds, the most telling first.
var Assumptions = []Assumption{
	{sched.AssumeCode, "AssumeCode", "",
		"code runs that is not under control",
		"code which is not under control does the same every time, and lets nothing of it depend on when it runs",
		"to have it under control: keep it out of the closure, or in a package that is rewritten", NoSetting, ""},
	{sched.AssumeVariable, "AssumeVariable", "",
		"a variable outlives executions",
		"it makes no difference what one execution leaves behind for the next in a variable",
		"to be rid of it: make the variable in the closure, or set it at its start", NoSetting, ""},
	{sched.AssumeVariable, "AssumeVariable", hook.SharedByTests,
		"parallel tests are explored one by one",
		"it makes no difference what other parallel tests do at the same time with variables that they share",
		"to explore them together: call what they do in goroutines of one test", NoSetting, ""},
	{sched.AssumeVariable, "AssumeVariable", hook.LastingFile,
		"a file outlives executions",
		"it makes no difference what one execution leaves behind for the next in a file",
		"to be rid of it: make the file in the closure, below t.TempDir()", NoSetting, ""},
	{sched.AssumeSource, "AssumeSource", "",
		"a value may differ from run to run",
		"it makes no difference which value comes from outside",
		"to be rid of it: hand the value to the code from the closure, and vary it with sched.Choose", NoSetting, ""},
	{sched.AssumeMapOrder, "AssumeMapOrder", "",
		"maps are ranged over in one order",
		"it makes no difference in which order maps are ranged over",
		"to explore others, all of them where keys are few", SettingMaps, "sched.MapExplore"},
	{sched.AssumeMapOrder, "AssumeMapOrder", hook.MadeInRange,
		"loops over maps do not meet what is made meanwhile",
		"it makes no difference whether a loop over a map meets an entry that is made while it is under way",
		"to explore both, for up to four entries of a loop", SettingMaps, "sched.MapExplore"},
	{sched.AssumeMapOrder, "AssumeMapOrder", hook.LibraryRange,
		"maps are ranged over in one order",
		"it makes no difference in which order the standard library ranges over maps",
		"to be rid of it: sort what comes of it, or use it in a way that does not depend on its order", NoSetting, ""},
	{sched.AssumeRandom, "AssumeRandom", "",
		"random numbers come from one seed",
		"it makes no difference which random numbers are drawn",
		"to explore draws from few numbers", SettingRand, "sched.RandExplore"},
	{sched.AssumeModel, "AssumeModel", "",
		"a primitive may do more than is explored",
		"a primitive does not do all that the language allows it to",
		"to explore all of it", SettingModel, "sched.ModelFine"},
	{sched.AssumeModel, "AssumeModel", hook.LibraryLock,
		"goroutines come to a lock in one order",
		"it makes no difference in which order goroutines come to a lock of the standard library's",
		"to explore all orders", SettingModel, "sched.ModelLock"},
	{sched.AssumeModel, "AssumeModel", hook.LibraryState,
		"functions of the standard library change in one order what others look at",
		"it makes no difference in which order goroutines change what the standard library keeps, and look at it",
		"to explore all orders", SettingModel, "sched.ModelLock"},
	{sched.AssumeModel, "AssumeModel", hook.LibraryRace,
		"races inside libraries keep their order",
		"it makes no difference in which order a library's own operations come",
		"to explore all orders from the beginning", SettingModel, "sched.ModelLibrary"},
	{sched.AssumeModel, "AssumeModel", hook.SeveralMessages,
		"a Read gives what one Write has written",
		"it makes no difference how much of what was written a Read of a connection gives",
		"to explore Reads that join and split", SettingModel, "sched.ModelStream"},
	{sched.AssumeModel, "AssumeModel", hook.OwnPool,
		"goroutines share no Pool",
		"it makes no difference which goroutine has put what a Get of a Pool returns",
		"to explore Pools that goroutines share", SettingModel, "sched.ModelPool"},
	{sched.AssumeModel, "AssumeModel", hook.FullPipe,
		"a pipe may be full",
		"pipes have room for all that is written",
		"to be rid of it: let less be written before it is read", NoSetting, ""},
	{sched.AssumeCount, "AssumeCount", UndecidedRemains,
		"there was no time to find out which goroutines are leaked",
		"the goroutines that are left behind are not leaked",
		"to be rid of it: have the test end the goroutines that it starts", NoSetting, ""},
	{sched.AssumeCount, "AssumeCount", AlikeRemains,
		"goroutines left behind are judged by those of other executions",
		"goroutines that wait alike are leaked in all executions or in none",
		"to be rid of it: have the test end the goroutines that it starts", NoSetting, ""},
	{sched.AssumeCount, "AssumeCount", "",
		"more is in use than is counted",
		"it makes no difference how many there are beyond those that are counted",
		"to be rid of it: let fewer of them be in use at a time", NoSetting, ""},
	{sched.AssumeClock, "AssumeClock", "",
		"timers fire in the order of their deadlines",
		"timers fire in the order of their deadlines, and only when no goroutine can run",
		"to let them fire at any moment", SettingClock, "sched.TimeAnyOrder"},
	{sched.AssumeClock, "AssumeClock", hook.ToldDate,
		"two states that differ by the date alone are one",
		"it makes no difference on which date a loop comes back to a state in which it was before",
		"to tell dates apart", SettingMaxClock, ""},
}

// UndecidedRemains is what a search takes for granted that does not know what its executions leak.
const UndecidedRemains = "goroutines left behind of which it is not known whether they are leaked"

// AlikeRemains is what a search takes for granted that has not looked through the memory after each
// execution.
const AlikeRemains = "no time to look through the memory after each execution"

// Rank returns the place of an assumption in [Assumptions], -1 if its kind is not known.
func Rank(a exec.Assumption) int {
	i := slices.IndexFunc(Assumptions, func(g Assumption) bool {
		return g.Kind == a.Kind && g.What != "" && a.Is(g.What)
	})
	if i < 0 {
		i = slices.IndexFunc(Assumptions, func(g Assumption) bool { return g.Kind == a.Kind && g.What == "" })
	}
	return i
}

// Of returns the kind of an assumption.
func Of(a exec.Assumption) Assumption {
	if i := Rank(a); i >= 0 {
		return Assumptions[i]
	}
	return Assumption{Kind: a.Kind, name: fmt.Sprintf("AssumptionKind(%d)", a.Kind), Short: "something else is taken for granted",
		Long: "something else holds", remedy: "to be rid of it: avoid it"}
}

// Placed says what an assumption is about, and where it was met.
func Placed(a exec.Assumption) string {
	if a.File == "" {
		return a.What
	}
	return fmt.Sprintf("%s, %s:%d", a.What, filepath.Base(a.File), a.Line)
}
