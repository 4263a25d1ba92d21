package explore

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/gopor/gopor/instrument/build"
	"github.com/gopor/gopor/internal/environ"
	"github.com/gopor/gopor/internal/format"
	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/internal/minimise"
	"github.com/gopor/gopor/internal/replay"
	"github.com/gopor/gopor/internal/saved"
	"github.com/gopor/gopor/internal/trial"
	"github.com/gopor/gopor/por/report"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/trace"
)

// A failing schedule is saved below the folder of the test's package, as package saved has
// it, and run before the next search of the same Check. When the program has changed so
// that it does not fit any more, what is near it is looked at. A schedule that does not
// fail any more is removed.

// StartFolder is where the process was started: for a test that is its package's folder.
var StartFolder, _ = os.Getwd()

// Store is where the failing schedules of a Check are saved.
type Store struct {
	Pkg      string // the folder of the package
	By       string // as in [saved.Schedule]
	Flags    []string
	por, dir string // of the [Place]

	Old   []*SavedSchedule // that were there before the search
	notes []string         // what there is to tell of files

	Mended []string // of notes, those of schedules that fail no longer
}

// SavedSchedule is one that was saved by an earlier run, and what has come of it.
type SavedSchedule struct {
	saved.Entry
	Fate fate
}

type fate uint8

const (
	untried  fate = iota
	Passed        // the schedule was run, and does not fail
	diverged      // it does not fit any more, and nothing that is near it has failed
	fails         // it still fails
	refound       // it does not fit any more, but a failure is near it
)

// NewStore returns the store of a Check in test t, nil if its schedules are not saved.
func NewStore(t testing.TB, where Place, c *Config) *Store {
	if c.NoSave || os.Getenv(environ.Save) == "off" || !IsTest(t) || !saved.IsOwn(StartFolder) {
		return nil
	}
	s := &Store{Pkg: StartFolder, By: saved.ByCheck, Flags: where.Flags, por: where.Por, dir: where.Dir}
	if _, ok := t.(Existing); ok {
		s.By = saved.ByExisting
	}
	s.Load(where)
	return s
}

// Load reads the schedules that are saved for a Check.
func (s *Store) Load(where Place) {
	for _, e := range saved.Load(s.Pkg, where.Test) {
		if e.Err != nil {
			s.note("a saved schedule was not run: %v. It is left as it is; remove it if it is of no use", e.Err)
			continue
		}
		if e.Check == where.Name && e.By == s.By {
			s.Old = append(s.Old, &SavedSchedule{Entry: e})
		}
	}
}

func (s *Store) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// IsTest reports whether t is a test that the go command runs, and no stand-in.
func IsTest(t testing.TB) bool {
	if n, ok := t.(interface{ Native() *testing.T }); ok {
		t = n.Native()
	}
	typ := reflect.TypeOf(t)
	// Thousands of inputs may fail, each by another schedule.
	fuzzed := FlagValue("test.fuzzworker") == "true"
	return typ.Kind() == reflect.Pointer && typ.Elem().Name() == "T" && NativeTest(t) != nil && !fuzzed
}

// save saves the schedule of a report.
func (s *Session) save(rep *report.Failure) {
	if s.Store == nil || s.Findings.noted || rep.Unsteady || rep.Saved != "" || rep.Execution == 1 {
		return // that of the first execution needs no search
	}
	how := "discrete"
	switch rep.Time {
	case sched.TimeLag:
		how = "lag " + s.Phase.Run.Lag.String()
	case sched.TimeAnyOrder:
		how = "any"
	}
	defer hook.Unfelt(true)() // workers save nothing
	name, err := saved.Write(s.Store.Pkg, &saved.Schedule{
		Test: s.Where.Test, Check: s.Where.Name, By: s.Store.By, Flags: s.Store.Flags,
		Headline: rep.Diagnosis.Headline, Engine: s.Phase.engine.Name(), Time: how, Replay: rep.Replay,
	})
	if err != nil {
		s.Store.note("the schedule was not saved: %v. The replay string in the report has all of it", err)
		return
	}
	rep.Saved = name
	rep.Diagnosis.Saved, rep.Diagnosis.Command = name, s.Where.ReplayCommand(rep)
}

// runSaved runs the schedules that earlier runs have saved. If some fail it returns what
// is to be told of them in place of a search, else nil.
func (s *Session) runSaved() *report.Result {
	if s.Store == nil {
		return nil
	}
	res := new(report.Result)
	steps, usual := 0, s.Phase
	for _, old := range s.Store.Old {
		if s.Over() || len(res.Failures) >= s.Cfg.Limits.Failures {
			break
		}
		sc, err := replay.Decode(old.Replay)
		if err == nil && sc.Hash != replay.Hash(s.Where.Name) {
			err = errors.New("damaged: its replay string is that of another Check")
		}
		if err != nil {
			s.Store.note("%s was not run: it is %v. It is left as it is; remove it if it is of no use", old.Name, err)
			continue
		}
		if s.Cfg.Says.Clock && sc.Time != usual.Run.Time {
			continue // by an option, executions are others now
		}
		s.Phase = usual
		sc.Set(&s.Phase.Run)
		if s.prepare() != nil {
			break // the search will say so
		}
		if rep := s.retry(old, sc); rep != nil {
			steps += len(rep.Schedule)
			res.Failures = append(res.Failures, *rep)
		}
	}
	if len(res.Failures) == 0 {
		s.Phase = usual
		return nil
	}
	res.Verdict = report.Verdict{Replayed: true, Failures: len(res.Failures), Options: s.Phase.Run, Stats: trace.Stats{Steps: int64(steps)},
		Note: "that was saved by an earlier run, and there was no search"}
	return res
}

// retry runs a saved schedule, and what is near it if it does not fit any more. It returns
// the report of a failure, nil if there is none.
func (s *Session) retry(old *SavedSchedule, sc replay.Script) *report.Failure {
	p := s.Program(false)
	defer s.Dismiss(p)
	var t *trial.Trial
	var err error
	s.within(p, 2*s.patience(), func() { t, err = trial.Follow(p, sc) })
	var d *trace.DivergenceError
	switch {
	case errors.Is(err, trace.ErrInterrupted):
		s.Store.note("%s was not run to its end: %s", old.Name, s.excess())
		return nil
	case err == nil && !t.Fair():
		old.Fate = Passed
		return nil
	case err == nil:
		old.Fate = fails
		rep := s.newReport(p, t)
		rep.Saved = old.Name
		s.illustrate(p, t, &rep, "")
		return &rep
	case !errors.As(err, &d):
		s.Store.note("%s was not run: %v", old.Name, err)
		return nil
	}
	old.Fate = diverged
	s.within(p, 2*ReportTime.Near, func() { t = s.near(p, sc, t) })
	if t == nil {
		s.Store.note("%s no longer fits: it diverged at step %d (%s), and was explored from there: no failure is near it", old.Name, d.Step, d.Got)
		return nil
	}
	old.Fate = refound
	s.Store.note("%s no longer fits: it diverged at step %d (%s), and was explored from there: a failure is near it", old.Name, d.Step, d.Got)
	rep := s.examine(p, &Finding{Schedule: t.Schedule, Failures: t.Failures, want: t.Primary})
	return &rep
}

// How long is looked for a failure near a schedule that does not fit any more.
const (
	nearRuns   = 1000
	nearBounds = 2 // preemptions after it
)

// near looks for a failing execution near a script that fits up to the end of t only: first by
// leaving out what does not fit, then with few preemptions after it. It returns nil if it finds
// none.
func (s *Session) near(p trace.Program, sc replay.Script, t *trial.Trial) *trial.Trial {
	end := time.Now().Add(ReportTime.Near)
	over := func() bool { return s.Over() || time.Now().After(end) }
	if got, ok := trial.Guide(p, sc.Schedule(trial.PathsOf(p)), nil, over); ok && got.Fair() {
		return got
	}
	begin := t.Schedule
	runs := 0
	for bound := 0; bound <= nearBounds; bound++ {
		b := minimise.NewBounded(p, begin, bound, over)
		for ; runs < nearRuns && !over(); runs++ {
			failures, err := b.Run()
			if err != nil {
				return nil
			}
			if len(failures) > 0 && trial.Primary(failures).Kind != trace.FailStarved {
				if got, ok := trial.Guide(p, b.Schedule(), nil, over); ok && got.Fair() {
					return got
				}
			}
			if !b.Next() {
				break
			}
		}
	}
	return nil
}

// Conclude removes the files of schedules that fail no longer, and returns what there is to
// tell of files. Searched says that a search has come to an end after they were run, without
// an error.
func (s *Store) Conclude(res *report.Result, searched bool) []string {
	if s == nil {
		return nil
	}
	for _, old := range s.Old {
		gone := ""
		if own, now := saved.Changing(old.Flags), saved.Changing(s.Flags); !slices.Equal(own, now) && (old.Fate == Passed || old.Fate == diverged) {
			s.note("%s does not fail in this run, which has other settings than it was found with (%s): it is left as it is",
				old.Name, cmp.Or(strings.Join(own, " "), "none"))
			continue
		}
		switch old.Fate {
		case Passed:
			gone = "passes now: it is mended"
		case refound:
			gone = "is replaced"
		case diverged:
			if searched && len(res.Failures) == 0 {
				gone = "no longer fits, and the search has found no failure: it is mended"
			}
		}
		if gone == "" || res != nil && containsSaved(res.Failures, old.Name) {
			continue
		}
		done := hook.Unfelt(true)
		err := saved.Remove(s.Pkg, old.Name)
		if done(); err != nil {
			s.note("%s %s, but cannot be removed: %v", old.Name, gone, err)
		} else {
			text := fmt.Sprintf("%s %s, and was removed", old.Name, gone)
			if s.note("%s", text); old.Fate != refound {
				s.Mended = append(s.Mended, text)
			}
		}
	}
	if res != nil {
		for _, f := range res.Failures {
			if f.Saved == "" {
				continue
			}
			text := "saved to " + f.Saved
			if f.Execution == 0 {
				text = "the schedule is that of " + f.Saved
			}
			s.note("%s; the next run starts with it (disable: POR_SAVE=off). Replay: %s replay %s", text, s.command(), format.Quoted(s.fromCommand(f.Saved)))
		}
	}
	notes := s.notes
	s.notes = nil
	return notes
}

// command returns how to call command por.
func (s *Store) command() string {
	if s.por != "" {
		return s.por
	}
	por := build.RunCommand(s.Pkg)
	if _, err := exec.LookPath("por"); err == nil && por != "go tool por" {
		return "por"
	}
	return por
}

// fromCommand returns the path of a file of the package as it is from where the command was
// called, or from the folder of the package if that is not known.
func (s *Store) fromCommand(name string) string {
	if _, _, dir := build.Parent(); dir != "" {
		if rel, err := filepath.Rel(dir, filepath.Join(s.Pkg, name)); err == nil {
			return filepath.Join(s.dir, rel)
		}
	}
	return name
}

func containsSaved(reports []report.Failure, name string) bool {
	for _, r := range reports {
		if r.Saved == name {
			return true
		}
	}
	return false
}

// ReplayOf returns the replay string that a text is or, if it is the name of a file, that the
// file has. Names are from the folder in which the process was started.
func ReplayOf(text string) (string, error) {
	text = strings.TrimSpace(text)
	if replay.IsOne(text) || !strings.ContainsAny(text, `/\`) {
		return text, nil
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(StartFolder, text)
	}
	sc, err := saved.Read(text)
	if err != nil {
		return "", err
	}
	return sc.Replay, nil
}

// NativeTest returns the address of the test of package testing that t is, nil if it is
// none. The twin of package testing has it in a struct, in an interface, in a struct.
func NativeTest(t testing.TB) unsafe.Pointer {
	v := reflect.ValueOf(t)
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		if v.Kind() == reflect.Pointer && v.Type().Elem().PkgPath() == "testing" {
			return v.UnsafePointer()
		}
		v = v.Elem()
		for v.Kind() == reflect.Struct && strings.HasSuffix(v.Type().PkgPath(), "/por/testing") && v.NumField() > 0 {
			v = v.Field(0)
		}
	}
	return nil
}
