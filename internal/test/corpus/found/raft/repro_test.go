package raft

import (
	"io"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

// fsm does nothing. If there are channels, Apply says that it has begun, and waits.
type fsm struct{ begun, proceed chan struct{} }

func (f fsm) Apply(*raft.Log) any {
	if f.begun != nil {
		select {
		case f.begun <- struct{}{}:
		default:
		}
		<-f.proceed
	}
	return nil
}
func (fsm) Snapshot() (raft.FSMSnapshot, error) { return nil, io.EOF }
func (fsm) Restore(io.ReadCloser) error         { return nil }

// lead returns a cluster of one server, which leads it.
func lead(t *testing.T, f raft.FSM) *raft.Raft {
	conf := raft.DefaultConfig()
	conf.LocalID, conf.Logger = "a", hclog.NewNullLogger()
	store, snaps := raft.NewInmemStore(), raft.NewInmemSnapshotStore()
	_, trans := raft.NewInmemTransport("a")
	raft.BootstrapCluster(conf, store, store, snaps, trans,
		raft.Configuration{Servers: []raft.Server{{ID: "a", Address: "a"}}})
	r, err := raft.NewRaft(conf, f, store, store, snaps, trans)
	if err != nil {
		t.Fatal(err)
	}
	<-r.LeaderCh()
	return r
}

// TestApply applies a log beside Shutdown.
func TestApply(t *testing.T) {
	r := lead(t, fsm{})
	var wg sync.WaitGroup
	wg.Go(func() { r.Apply(nil, time.Second).Error() })
	wg.Go(func() { r.Shutdown().Error() })
	wg.Wait()
}

// TestApplyForced shuts down while the FSM is at a log, and others that are committed wait for it.
func TestApplyForced(t *testing.T) {
	f := fsm{make(chan struct{}), make(chan struct{})}
	r := lead(t, f)
	futures := []raft.ApplyFuture{r.Apply(nil, time.Second)}
	<-f.begun
	for n := range 30 { // the FSM's goroutine leaves one of them with all but certainty: it draws each time
		futures = append(futures, r.Apply(nil, time.Second))
		for r.Stats()["fsm_pending"] != strconv.Itoa(n+1) {
			time.Sleep(time.Millisecond)
		}
	}
	stopped := r.Shutdown()
	close(f.proceed)
	stopped.Error()
	answered := make(chan bool)
	go func() {
		for _, f := range futures {
			f.Error()
		}
		close(answered)
	}()
	select {
	case <-answered:
	case <-time.After(5 * time.Second):
		t.Error("raft is shut down, and a future of Apply has no answer")
	}
}

// TestPipeline closes a pipeline while a request is under way.
func TestPipeline(t *testing.T) {
	_, a := raft.NewInmemTransport("a")
	_, b := raft.NewInmemTransport("b")
	a.Connect("b", b)
	p, _ := a.AppendEntriesPipeline("b", "b")
	var wg sync.WaitGroup
	wg.Go(func() {
		if f, err := p.AppendEntries(new(raft.AppendEntriesRequest), new(raft.AppendEntriesResponse)); err == nil {
			f.Error()
		}
	})
	wg.Go(func() { p.Close() })
	wg.Wait()
}

// TestPipelineForced closes it when the request was sent, and not answered.
func TestPipelineForced(t *testing.T) {
	_, a := raft.NewInmemTransport("a")
	_, b := raft.NewInmemTransport("b")
	a.Connect("b", b)
	p, _ := a.AppendEntriesPipeline("b", "b")
	f, err := p.AppendEntries(new(raft.AppendEntriesRequest), new(raft.AppendEntriesResponse))
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	answered := make(chan error, 1)
	go func() { answered <- f.Error() }()
	select {
	case <-answered:
	case <-time.After(5 * time.Second):
		t.Error("the pipeline is closed, and the future has no answer")
	}
}

// TestSnapshot opens the latest snapshot while it is written.
func TestSnapshot(t *testing.T) {
	s := raft.NewInmemSnapshotStore()
	_, trans := raft.NewInmemTransport("a")
	var wg sync.WaitGroup
	wg.Go(func() {
		sink, _ := s.Create(1, 1, 1, raft.Configuration{}, 1, trans)
		sink.Write([]byte("whole"))
		sink.Close()
	})
	wg.Go(func() {
		if list, _ := s.List(); len(list) > 0 {
			_, r, _ := s.Open(list[0].ID)
			if data, _ := io.ReadAll(r); string(data) != "whole" {
				t.Errorf("the latest snapshot is %q", data)
			}
		}
	})
	wg.Wait()
}

// TestSnapshotForced opens it in the middle, on one goroutine.
func TestSnapshotForced(t *testing.T) {
	s := raft.NewInmemSnapshotStore()
	_, trans := raft.NewInmemTransport("a")
	sink, _ := s.Create(1, 1, 1, raft.Configuration{}, 1, trans)
	sink.Write([]byte("wh"))
	if list, _ := s.List(); len(list) > 0 {
		_, r, _ := s.Open(list[0].ID)
		if data, _ := io.ReadAll(r); string(data) != "whole" {
			t.Errorf("the latest snapshot is %q", data)
		}
	}
	sink.Write([]byte("ole"))
	sink.Close()
}
