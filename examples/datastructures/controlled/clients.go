// Code generated from package datastructures by go generate; DO NOT EDIT.

package controlled

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Client is a program that uses a structure: the calls of its goroutines.
type Client struct {
	Kind  *Kind
	Hasty func(key int) bool
	Calls [][]Call
}

// Shape says what clients are drawn.
type Shape struct {
	Threads int  // goroutines
	Calls   int  // the most calls of a goroutine; it makes at least one
	Values  int  // keys: the fewer, the more contention
	Looks   bool // there are calls of Contains
}

// NewClient draws a client, the same one for the same seed.
func NewClient(k *Kind, s Shape, seed uint64) Client {
	r := rand.New(rand.NewPCG(seed, 1))
	c := Client{Kind: k, Hasty: Never}
	for range s.Threads {
		calls := make([]Call, 1+r.IntN(s.Calls))
		for i := range calls {
			ops := 2
			if s.Looks {
				ops = 3
			}
			calls[i] = Call{Op(r.IntN(ops)), 1 + r.IntN(s.Values)}
		}
		c.Calls = append(c.Calls, calls)
	}
	return c
}

func (c Client) String() string {
	var threads []string
	for _, calls := range c.Calls {
		var texts []string
		for _, call := range calls {
			texts = append(texts, call.String())
		}
		threads = append(threads, strings.Join(texts, " "))
	}
	return c.Kind.Name + ": " + strings.Join(threads, " | ")
}

// Len is the number of calls.
func (c Client) Len() (n int) {
	for _, calls := range c.Calls {
		n += len(calls)
	}
	return n
}

// Outcome is what the calls of each goroutine have returned, as text.
func Outcome(results [][]Result) string { return fmt.Sprint(results) }

// Outcomes returns what calls return that are made one at a time, in every order. What is left
// of the calls is found out once for every state, so that it does not matter that there are
// as many orders as merges.
func (c Client) Outcomes() map[string]bool {
	type key struct{ at, keys string }
	memory := make(map[key][][][]Result)
	var rest func(at []int, keys []int) [][][]Result
	rest = func(at []int, keys []int) (all [][][]Result) {
		id := key{fmt.Sprint(at), fmt.Sprint(keys)}
		if known, ok := memory[id]; ok {
			return known
		}
		seen := make(map[string]bool)
		for g, calls := range c.Calls {
			if at[g] == len(calls) {
				continue
			}
			r, next := c.Kind.Step(keys, calls[at[g]])
			later := slices.Clone(at)
			later[g]++
			for _, tail := range rest(later, next) {
				whole := slices.Clone(tail)
				whole[g] = append([]Result{r}, tail[g]...)
				if text := Outcome(whole); !seen[text] {
					seen[text] = true
					all = append(all, whole)
				}
			}
		}
		if all == nil {
			all = [][][]Result{make([][]Result, len(c.Calls))}
		}
		memory[id] = all
		return all
	}
	outcomes := make(map[string]bool)
	for _, x := range rest(make([]int, len(c.Calls)), nil) {
		outcomes[Outcome(x)] = true
	}
	return outcomes
}
