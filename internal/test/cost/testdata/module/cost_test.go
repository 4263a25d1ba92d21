// Package cost has tests of which one execution takes long: the table of docs/bench/cost.md has
// what it costs.
package cost

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// side is the number of rows and columns of the matrices.
const side = 200

// TestMatrix multiplies two matrices; four goroutines have a quarter of the rows each.
func TestMatrix(t *testing.T) {
	left, right, product := make([]float64, side*side), make([]float64, side*side), make([]float64, side*side)
	for i := range left {
		left[i], right[i] = float64(i%7), float64(i%5)
	}
	var done sync.WaitGroup
	for first := range 4 {
		done.Go(func() {
			for row := first; row < side; row += 4 {
				for column := range side {
					sum := 0.0
					for k := range side {
						sum += left[row*side+k] * right[k*side+column]
					}
					product[row*side+column] = sum
				}
			}
		})
	}
	done.Wait()
}

// TestPipe passes 20,000 numbers through two channels.
func TestPipe(t *testing.T) {
	const numbers = 20_000
	first, second := make(chan int, 16), make(chan int, 16)
	go func() {
		defer close(first)
		for i := range numbers {
			first <- i
		}
	}()
	go func() {
		defer close(second)
		for i := range first {
			second <- 2 * i
		}
	}()
	sum := 0
	for i := range second {
		sum += i
	}
	if sum != numbers*(numbers-1) {
		t.Error(sum)
	}
}

// TestAtomic adds to a number 80,000 times.
func TestAtomic(t *testing.T) {
	var n atomic.Int64
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			for range 10_000 {
				n.Add(1)
			}
		})
	}
	done.Wait()
}

// TestMutex locks a mutex 40,000 times.
func TestMutex(t *testing.T) {
	var mu sync.Mutex
	var done sync.WaitGroup
	n := 0
	for range 8 {
		done.Go(func() {
			for range 5_000 {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	}
	done.Wait()
}

// TestMap makes 40,000 entries of a map.
func TestMap(t *testing.T) {
	var mu sync.RWMutex
	var done sync.WaitGroup
	squares := make(map[int]int)
	for worker := range 4 {
		done.Go(func() {
			for i := range 10_000 {
				n := 4*i + worker
				mu.Lock()
				squares[n] = n * n
				mu.Unlock()
			}
		})
	}
	done.Wait()
}

// TestGoroutines starts 5,000 goroutines. Each sends once and receives once.
func TestGoroutines(t *testing.T) {
	var done sync.WaitGroup
	tokens := make(chan int, 100)
	for i := range 5_000 {
		done.Go(func() {
			tokens <- i
			<-tokens
		})
	}
	done.Wait()
}

// TestSort sorts 300,000 numbers in one goroutine.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := make([]int, 300_000)
	for i := range numbers {
		numbers[i] = r.Int()
	}
	slices.Sort(numbers)
}

// TestJSON encodes 3,000 values, and decodes them.
func TestJSON(t *testing.T) {
	type record struct {
		Name  string
		Words []string
		Sizes map[string]int
	}
	for i := range 3_000 {
		text, err := json.Marshal(record{strconv.Itoa(i), []string{"one", "two", "three"}, map[string]int{"large": i, "small": 2}})
		if err != nil {
			t.Fatal(err)
		}
		var back record
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
	}
}
