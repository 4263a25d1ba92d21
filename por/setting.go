package por

import (
	"fmt"
	"strings"
)

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
	settingProcesses
	settingModel
	settingMaps
	settingRand
	settingClock
	settingMaxClock
	settingWatchdog
	settingGrant
)

// settingNames has the names of settings by front end, "" where it does not have the setting.
var settingNames = [...]struct{ option, flag string }{
	settingTime:       {"por.MaxTime", "-check.time"},
	settingExecutions: {"por.MaxExecutions", "-check.executions"},
	settingMemory:     {"por.MaxMemory", "-check.memory"},
	settingSteps:      {"por.MaxSteps", "-check.steps"},
	settingEngine:     {"por.Engine", "-check.engine"},
	settingTimeout:    {"-timeout", "-timeout"},
	settingProcesses:  {"por.Processes", "-check.processes"},
	settingModel:      {"por.Model", "-check.model"},
	settingMaps:       {"por.Maps", "-check.maps"},
	settingRand:       {"por.Rand", "-check.rand"},
	settingClock:      {"por.Time", "-check.clock"},
	settingMaxClock:   {"por.MaxClock", "-check.maxclock"},
	settingWatchdog:   {"por.Watchdog", ""},
	settingGrant:      {"por.Grant", ""},
}

// name returns what a setting is called, "" if the front end does not have it.
func (f frontEnd) name(s setting) string {
	if f == byFlags {
		return settingNames[s].flag
	}
	return settingNames[s].option
}

// with returns how a setting is given a value, as Go has it: por.MaxSteps(10_000), or
// -check.steps=10000. It is "" if the front end does not have the setting. The values that
// package sched has a constant for are in settingValues.
func (f frontEnd) with(s setting, value string) string {
	name := f.name(s)
	switch {
	case name == "":
		return ""
	case f == byOptions && s != settingTimeout:
		return fmt.Sprintf("%s(%s)", name, value)
	}
	if text, ok := settingValues[value]; ok {
		value = text
	}
	return name + "=" + strings.ReplaceAll(value, "_", "")
}

// settingValues has values of flags by those of options.
var settingValues = map[string]string{
	"sched.MapExplore":   "explore",
	"sched.RandExplore":  "explore",
	"sched.TimeAnyOrder": "any",
	"sched.ModelFine":    "fine",
	"sched.ModelLock":    "lock",
}

// advice ends a sentence with what to set: "; to do it: NAME". It is "" if the front end does not
// have the setting.
func (f frontEnd) advice(to string, s setting) string {
	if f.name(s) == "" {
		return ""
	}
	return "; to " + to + ": " + f.name(s)
}
