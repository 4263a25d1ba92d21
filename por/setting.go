package por

import "fmt"

// frontEnd is where a search has its settings from: the options of a call, or the flags of
// por test -check. Messages name settings as they are set there.
type frontEnd uint8

const (
	byOptions frontEnd = iota
	byFlags
)

// setting is a setting that messages name.
type setting uint8

const (
	noSetting setting = iota
	settingTime
	settingExecutions
	settingMemory
	settingSteps
	settingEngine
	settingTimeout // of go test
)

// settingNames has the names of settings by front end.
var settingNames = [...]struct{ option, flag string }{
	settingTime:       {"por.MaxTime", "-check.time"},
	settingExecutions: {"por.MaxExecutions", "-check.executions"},
	settingMemory:     {"por.MaxMemory", "-check.memory"},
	settingSteps:      {"por.MaxSteps", "-check.steps"},
	settingEngine:     {"por.Engine", "-check.engine"},
	settingTimeout:    {"-timeout", "-timeout"},
}

// name returns what a setting is called.
func (f frontEnd) name(s setting) string {
	if f == byFlags {
		return settingNames[s].flag
	}
	return settingNames[s].option
}

// with returns how a setting is given a value: in Go for an option, as text for a flag.
func (f frontEnd) with(s setting, value any) string {
	if f == byFlags || s == settingTimeout {
		return fmt.Sprintf("%s=%v", f.name(s), value)
	}
	return fmt.Sprintf("%s(%v)", f.name(s), value)
}

// frontEnd returns where the session has its settings from.
func (s *session) frontEnd() frontEnd {
	if s.tally != nil {
		return byFlags
	}
	return byOptions
}
