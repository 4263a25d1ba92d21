package job

import (
	"testing"
	"time"
)

func TestJob(t *testing.T) {
	result := make(chan int, 1)
	go func() {
		time.Sleep(50 * time.Millisecond) // the work
		result <- 42
	}()
	time.Sleep(55 * time.Millisecond) // enough, surely
	select {
	case v := <-result:
		t.Log("the result is", v)
	default:
		t.Error("no result")
	}
}
