package irs_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/gopor/gopor/irs"
	"github.com/gopor/gopor/sched"
)

// transfers deadlocks if both goroutines have locked one account before they lock the other.
func transfers() {
	var a, b sched.Mutex
	h := sched.Go(func() {
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	})
	b.Lock()
	a.Lock()
	a.Unlock()
	b.Unlock()
	h.Join()
}

// A program with a bug is executed a thousand times, and never shows it.
func Example() {
	result, err := irs.Verify(context.Background(), transfers, irs.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Failure)
	fmt.Println(result.Prefix)
	for _, c := range result.Prefix.Constraints {
		fmt.Printf("event %d of %s waits for event %d of %s\n", c.After.N, result.Prefix.Name(c.After.G), c.Before.N, result.Prefix.Name(c.Before.G))
	}
	failed := 0
	for range 1000 {
		if err := irs.Run(result.Prefix, transfers); err != nil {
			failed++
		}
	}
	fmt.Println(failed, "of 1000 executions fail")
	// Output:
	// deadlock: all goroutines wait
	// prefix of 2 events with 1 constraint, 1 trace
	// event 0 of g1 waits for event 1 of main
	// 0 of 1000 executions fail
}

// A prefix is kept in a file, and refused for another program.
func ExampleLoad() {
	result, err := irs.Verify(context.Background(), transfers, irs.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := irs.Save(&file, result.Prefix); err != nil {
		fmt.Println(err)
		return
	}
	text := file.Bytes()
	prefix, err := irs.Load(bytes.NewReader(text), transfers)
	fmt.Println(prefix, err)
	_, err = irs.Load(bytes.NewReader(text[:len(text)/2]), transfers)
	fmt.Println(err != nil)
	// Output:
	// prefix of 2 events with 1 constraint, 1 trace <nil>
	// true
}
