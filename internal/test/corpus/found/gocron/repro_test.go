package gocron

import (
	"testing"
	"time"

	"github.com/go-co-op/gocron/v2"
)

// TestShutdown shuts down twice. With sleep.diff it fails.
func TestShutdown(t *testing.T) {
	s, err := gocron.NewScheduler(gocron.WithStopTimeout(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	for range 2 {
		if err := s.Shutdown(); err != nil {
			t.Error(err)
		}
	}
}

// TestAgain starts again what was stopped. With sleep.diff it fails.
func TestAgain(t *testing.T) {
	s, err := gocron.NewScheduler()
	if err != nil {
		t.Fatal(err)
	}
	ran := make(chan bool, 1)
	s.NewJob(gocron.DurationJob(10*time.Millisecond), gocron.NewTask(func() {
		select {
		case ran <- true:
		default:
		}
	}))
	s.Start()
	if err := s.StopJobs(); err != nil {
		t.Fatal(err)
	}
	for len(ran) > 0 {
		<-ran
	}
	s.Start()
	select {
	case <-ran:
	case <-time.After(5 * time.Second):
		t.Error("the scheduler was started, and runs no job")
	}
	s.Shutdown()
}
