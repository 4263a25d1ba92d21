// Package muted has a test that keeps its errors to itself.
package muted

import (
	"fmt"
	"testing"
)

// TB is a test of which the errors go to Report. It goes on after a fatal one.
type TB struct {
	testing.TB
	Report string
}

func (tb *TB) Error(args ...any)                 { tb.Report += fmt.Sprint(args...) }
func (tb *TB) Errorf(format string, args ...any) { tb.Report += fmt.Sprintf(format, args...) }
func (tb *TB) Fatal(args ...any)                 { tb.Error(args...) }
func (tb *TB) Fatalf(format string, args ...any) { tb.Errorf(format, args...) }
func (tb *TB) FailNow()                          {}
func (tb *TB) Failed() bool                      { return false }
