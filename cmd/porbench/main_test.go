package main

import (
	"testing"

	"github.com/gopor/gopor/internal/test/calls"
)

func TestHelp(t *testing.T) {
	calls.Helped(t, porbenchCommand, [][2]string{
		{"help", "usage: porbench COMMAND"},
		{"-h", "usage: porbench COMMAND"},
		{"help help", "usage: porbench COMMAND"},
		{"help bench", "-max-executions number"},
		{"help irs", "usage: porbench irs"},
		{"help unfold", "-limit number"},
		{"bench -help", "-max-executions number"},
		{"bench -list", "readers-writers"},
	})
}
