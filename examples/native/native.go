// Package native is ordinary Go code, which knows nothing of this module: its
// locks, channels and goroutines are those of the language and the standard
// library. Its tests have it explored nevertheless.
package native

import "sync"

// Counter counts.
type Counter struct {
	mu sync.Mutex
	n  int
}

// Inc adds one.
func (c *Counter) Inc() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

// Value returns the number.
func (c *Counter) Value() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// Hurried is a Counter that is read without the lock: a data race.
type Hurried struct{ Counter }

// Value returns the number, if no goroutine is counting.
func (c *Hurried) Value() int { return c.n }

// Sum adds up what f returns for 0 to n-1, and has it called by several workers.
func Sum(n, workers int, f func(int) int) int {
	jobs, results := make(chan int), make(chan int, workers)
	for range workers {
		go func() {
			sum := 0
			for i := range jobs {
				sum += f(i)
			}
			results <- sum
		}()
	}
	for i := range n {
		jobs <- i
	}
	close(jobs)
	sum := 0
	for range workers {
		sum += <-results
	}
	return sum
}

// Sort sorts numbers, by merging halves that are sorted at the same time as long
// as they are long.
func Sort(a []int) {
	if len(a) < 2 {
		return
	}
	left, right := a[:len(a)/2], a[len(a)/2:]
	if len(a) > 1000 {
		var wg sync.WaitGroup
		wg.Go(func() { Sort(left) })
		Sort(right)
		wg.Wait()
	} else {
		Sort(left)
		Sort(right)
	}
	merged := make([]int, 0, len(a))
	for len(left) > 0 && len(right) > 0 {
		if left[0] <= right[0] {
			merged, left = append(merged, left[0]), left[1:]
		} else {
			merged, right = append(merged, right[0]), right[1:]
		}
	}
	copy(a, append(append(merged, left...), right...))
}
