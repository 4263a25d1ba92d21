// Code generated from package datastructures by go generate; DO NOT EDIT.

// Package controlled is package datastructures by primitives of package sched. It has concurrent data structures as they are found in libraries: plain
// Go with sync and sync/atomic. Each comes with variants that, for some keys, have locks
// misplaced or a store in place of a compare-and-swap. Its tests have all of them explored:
// the structures are linearizable, and every variant is found not to be.
//
// The structures are those on which stateful partial order reduction was evaluated (Cirisci,
// Enea, Farzan and Mutluergil), written afresh. What goroutines share in them, and changes, is
// atomic or locked; this is the same code with the primitives of package sched
// in place of those of the standard library, for programs that are not rewritten.
package controlled

import (
	"fmt"
	"slices"
)

// Op is what a call does.
type Op uint8

// The operations. Of a queue, Add puts a key in, and Remove takes the oldest one out.
const (
	Add Op = iota
	Remove
	Contains
)

// Call is a call of a structure.
type Call struct {
	Op  Op
	Key int
}

func (c Call) String() string {
	return fmt.Sprintf("%s(%d)", [...]string{"add", "remove", "contains"}[c.Op], c.Key)
}

// Result is what a call returns: whether it has changed, or found, something, and of a queue
// which key.
type Result struct {
	Key int
	OK  bool
}

func (r Result) String() string {
	if r.Key != 0 {
		return fmt.Sprint(r.Key)
	}
	return fmt.Sprint(r.OK)
}

// Structure is a data structure.
type Structure interface {
	// Do performs a call. Any number of goroutines may do so.
	Do(Call) Result
}

// Kind is a kind of structure.
type Kind struct {
	Name  string
	Queue bool
	// New returns a structure without keys, which does what is wrong in its variant with the
	// keys that hasty reports.
	New func(hasty func(key int) bool) Structure
}

// Kinds are all kinds.
var Kinds = []Kind{
	{Name: "coarse-list", New: func(h func(int) bool) Structure { return newCoarseList(h) }},
	{Name: "optimistic-list", New: func(h func(int) bool) Structure { return newOptimisticList(h) }},
	{Name: "tree", New: func(h func(int) bool) Structure { return newTree(h) }},
	{Name: "queue", Queue: true, New: func(h func(int) bool) Structure { return newQueue(h) }},
	{Name: "coarse-map", New: func(h func(int) bool) Structure { return newCoarseMap(h) }},
	{Name: "sync-map", New: func(h func(int) bool) Structure { return newSyncMap(h) }},
}

// KindNamed returns the kind of that name.
func KindNamed(name string) (*Kind, bool) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return nil, false
	}
	return &Kinds[i], true
}

// Which keys a variant is hasty with.
var (
	Never  = func(int) bool { return false }
	Always = func(int) bool { return true }
)

// Step is the sequential specification: what a call returns if the keys are in the structure,
// those of a set in order, and which keys are in it then.
func (k *Kind) Step(keys []int, c Call) (Result, []int) {
	if k.Queue {
		switch {
		case c.Op == Add:
			return Result{OK: true}, append(slices.Clip(keys), c.Key)
		case len(keys) == 0:
			return Result{}, keys
		case c.Op == Remove:
			return Result{Key: keys[0], OK: true}, keys[1:]
		}
		return Result{Key: keys[0], OK: true}, keys
	}
	i, found := slices.BinarySearch(keys, c.Key)
	switch {
	case c.Op == Add && !found:
		return Result{OK: true}, slices.Insert(slices.Clone(keys), i, c.Key)
	case c.Op == Remove && found:
		return Result{OK: true}, slices.Delete(slices.Clone(keys), i, i+1)
	case c.Op == Contains:
		return Result{OK: found}, keys
	}
	return Result{}, keys
}
