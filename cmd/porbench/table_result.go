package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gopor/gopor/examples/paper"
)

// rowResult is a row as it is printed with -json.
type rowResult struct {
	Table          string   `json:"table"`
	Program        string   `json:"program"`
	N              int      `json:"n"`
	M              int      `json:"m"`
	Engine         string   `json:"engine"`
	K              *int     `json:"k"`
	Bound          *int     `json:"bound"`
	Column         string   `json:"column"`
	Printed        string   `json:"printed"`
	Executions     *int64   `json:"executions"`
	Traces         *int64   `json:"traces"`
	PrintedBlocked string   `json:"printed_blocked"`
	Blocked        *int64   `json:"blocked"`
	PrintedChecks  int64    `json:"printed_dependence_checks"`
	Checks         *int64   `json:"dependence_checks"`
	PrintedSeconds string   `json:"printed_seconds"`
	RaceChecks     *int64   `json:"race_checks,omitempty"`
	Unsatisfiable  *int64   `json:"unsatisfiable_systems,omitempty"`
	Seconds        *float64 `json:"seconds"`
	CPUSeconds     *float64 `json:"cpu_seconds"`
	Ratio          *float64 `json:"ratio_to_source,omitempty"` // of the CPU time
	PrintedMemory  string   `json:"printed_megabytes"`
	PeakHeap       *uint64  `json:"peak_heap_bytes"`
	Verdict        string   `json:"verdict"`
	Note           string   `json:"note,omitempty"`
}

const rowFormat = "%-20s %-18s %-14s %9s %9s %8s %8s %11s %11s %7s %8s %5s %5s  %s\n"

func (r *rowResult) String() string {
	sizes := ""
	if p, ok := paper.Named(r.Program); ok && p.N != (paper.Size{}) {
		sizes = strconv.Itoa(r.N)
		if p.M != (paper.Size{}) {
			sizes += "," + strconv.Itoa(r.M)
		}
		sizes = "(" + sizes + ")"
	}
	engine := r.Engine
	if r.K != nil {
		engine += fmt.Sprintf(" k=%d", *r.K)
	}
	if r.Bound != nil {
		engine += fmt.Sprintf(" b=%d", *r.Bound)
	}
	checks := ""
	if r.PrintedChecks > 0 {
		checks = strconv.FormatInt(r.PrintedChecks, 10)
	}
	count := r.Executions
	if r.Traces != nil {
		count = r.Traces
	}
	seconds := "-"
	if r.Seconds != nil {
		seconds = fmt.Sprintf("%.3f", *r.Seconds)
	}
	memory := "-"
	if r.PeakHeap != nil {
		memory = fmt.Sprintf("%.0f", float64(*r.PeakHeap)/1e6)
	}
	verdict := r.Verdict
	if r.Note != "" {
		verdict += " (" + r.Note + ")"
	}
	if r.RaceChecks != nil {
		verdict += fmt.Sprintf(", %d race checks, %d unsatisfiable systems", *r.RaceChecks, *r.Unsatisfiable)
	}
	if r.Ratio != nil {
		verdict += fmt.Sprintf(", %.2f of the time of source", *r.Ratio)
	}
	line := fmt.Sprintf(rowFormat, r.Program+sizes, engine, dash(r.Column), dash(r.Printed), number(count),
		dash(r.PrintedBlocked), number(r.Blocked), dash(checks), number(r.Checks),
		dash(r.PrintedSeconds), seconds, dash(r.PrintedMemory), memory, verdict)
	return strings.TrimRight(line, "\n")
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func number(n *int64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(*n, 10)
}
