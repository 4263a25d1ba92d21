package ristretto

import (
	"sync"
	"testing"

	"github.com/dgraph-io/ristretto/v2"
)

// TestClose sets a value beside Close.
func TestClose(t *testing.T) {
	c, err := ristretto.NewCache(&ristretto.Config[int, int]{NumCounters: 10, MaxCost: 2, BufferItems: 1})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { c.Set(1, 1, 1) })
	wg.Go(c.Close)
	wg.Wait()
}

// TestCloseForced has Close come when Set has found that the cache is not closed, and hashes the key.
func TestCloseForced(t *testing.T) {
	var c *ristretto.Cache[int, int]
	c, err := ristretto.NewCache(&ristretto.Config[int, int]{NumCounters: 10, MaxCost: 2, BufferItems: 1,
		KeyToHash: func(key int) (uint64, uint64) {
			c.Close()
			return uint64(key), 0
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("Set panics: %v", r)
		}
	}()
	c.Set(1, 1, 1)
}
