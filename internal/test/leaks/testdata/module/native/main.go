// Native runs a program, and prints how many goroutines it has left behind, and how many of them the runtime calls
// leaked.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"time"

	"example.org/leaks"
)

func main() {
	done := make(chan bool)
	go func() {
		leaks.Programs[os.Args[1]]()
		close(done)
	}()
	<-done
	time.Sleep(50 * time.Millisecond)
	profile := pprof.Lookup("goroutineleak")
	if profile == nil {
		fmt.Println("the runtime has no profile of leaks")
		os.Exit(1)
	}
	var b bytes.Buffer
	if err := profile.WriteTo(&b, 2); err != nil {
		panic(err)
	}
	leaked := strings.Count(b.String(), "(leaked")
	b.Reset()
	pprof.Lookup("goroutine").WriteTo(&b, 2)
	left := 0
	for _, g := range strings.Split(b.String(), "\n\n") {
		if strings.Contains(g, "created by example.org/leaks.") || strings.Contains(g, "example.org/leaks.") {
			left++
		}
	}
	fmt.Println(left, leaked)
}
