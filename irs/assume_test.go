package irs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gopor/gopor/irs"
	"github.com/gopor/gopor/sched"
)

// What is not under control is not called safe.
func TestNotControlled(t *testing.T) {
	native := func() {
		done := make(chan bool)
		go close(done)
		<-done
	}
	r, err := irs.Verify(context.Background(), native, irs.Options{})
	if !errors.Is(err, irs.ErrNotControlled) || r.Prefix != nil {
		t.Errorf("%v, %v", r.Prefix, err)
	}
	if v, err := irs.Begin(context.Background(), native, irs.Options{}); !errors.Is(err, irs.ErrNotControlled) {
		t.Errorf("%v, %v", v, err)
	}
	r, err = irs.Verify(context.Background(), func() {
		var n sched.Int64
		n.Store(int64(sched.Now().Year()))
	}, irs.Options{})
	if err != nil || len(r.Assumptions) == 0 {
		t.Errorf("%v, %v", r.Assumptions, err)
	}
}
