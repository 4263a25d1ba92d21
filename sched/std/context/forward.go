package context

import (
	"context"
)

// What this file declares is that of package context.

var (
	Canceled         = context.Canceled
	DeadlineExceeded = context.DeadlineExceeded
)

type (
	CancelCauseFunc = context.CancelCauseFunc
	CancelFunc      = context.CancelFunc
	Context         = context.Context
)

func Background() Context                            { return context.Background() }
func TODO() Context                                  { return context.TODO() }
func WithValue(parent Context, key, val any) Context { return context.WithValue(parent, key, val) }
func WithoutCancel(parent Context) Context           { return context.WithoutCancel(parent) }
