// Package advice has the words in which messages speak of settings and of assumptions, and says
// what to do about either.
package advice

import (
	"fmt"
	"strings"
)

// FrontEnd is where a search has its settings from: the options of a call, or the flags of
// por check. Messages name settings as they are set there.
type FrontEnd uint8

const (
	ByOptions FrontEnd = iota
	ByFlags
)

// Setting is a setting that messages name.
type Setting uint8

const (
	NoSetting Setting = iota
	SettingTime
	SettingExecutions
	SettingMemory
	SettingSteps
	SettingEngine
	SettingTimeout // of go test
	SettingProcesses
	SettingModel
	SettingMaps
	SettingRand
	SettingClock
	SettingMaxClock
	SettingWatchdog
	SettingGrant
)

// settingNames has the names of settings by front end, "" where it does not have the setting.
var settingNames = [...]struct{ option, flag string }{
	SettingTime:       {"por.MaxTime", "-check.time"},
	SettingExecutions: {"por.MaxExecutions", "-check.executions"},
	SettingMemory:     {"por.MaxMemory", "-check.memory"},
	SettingSteps:      {"por.MaxSteps", "-check.steps"},
	SettingEngine:     {"por.Engine", "-check.engine"},
	SettingTimeout:    {"-timeout", "-timeout"},
	SettingProcesses:  {"por.Processes", "-check.processes"},
	SettingModel:      {"por.Model", "-check.model"},
	SettingMaps:       {"por.Maps", "-check.maps"},
	SettingRand:       {"por.Rand", "-check.rand"},
	SettingClock:      {"por.Time", "-check.clock"},
	SettingMaxClock:   {"por.MaxClock", "-check.maxclock"},
	SettingWatchdog:   {"por.Watchdog", ""},
	SettingGrant:      {"por.Grant", ""},
}

// Name returns what a setting is called, "" if the front end does not have it.
func (f FrontEnd) Name(s Setting) string {
	if f == ByFlags {
		return settingNames[s].flag
	}
	return settingNames[s].option
}

// With returns how a setting is given a value, as Go has it: por.MaxSteps(10_000), or
// -check.steps=10000. It is "" if the front end does not have the setting. The values that
// package sched has a constant for are in settingValues.
func (f FrontEnd) With(s Setting, value string) string {
	name := f.Name(s)
	switch {
	case name == "":
		return ""
	case f == ByOptions && s != SettingTimeout:
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
	"sched.ModelPool":    "pool",
	"sched.ModelLock":    "lock",
	"sched.ModelLibrary": "library",
	"sched.ModelStream":  "stream",
}

// Advice ends a sentence with what to set: "; to do it: NAME". It is "" if the front end does not
// have the setting.
func (f FrontEnd) Advice(to string, s Setting) string {
	if f.Name(s) == "" {
		return ""
	}
	return "; to " + to + ": " + f.Name(s)
}

// Limit returns what a limit is called, and the setting that moves it: "time: por.MaxTime". It
// returns "" for [NoSetting].
func (f FrontEnd) Limit(s Setting) string {
	if s == NoSetting {
		return ""
	}
	return limitNames[s] + ": " + f.Name(s)
}

// limitNames is what limits are called, by the setting that moves them.
var limitNames = [...]string{
	SettingTime:       "time",
	SettingExecutions: "executions",
	SettingMemory:     "memory",
	SettingSteps:      "steps",
	SettingEngine:     "the engine",
	SettingTimeout:    "the deadline of the test",
}
