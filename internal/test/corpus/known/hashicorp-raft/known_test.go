package raft

import (
	"fmt"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/raft"
)

type fsm struct{}

func (fsm) Apply(*raft.Log) interface{}         { return nil }
func (fsm) Snapshot() (raft.FSMSnapshot, error) { return snap{}, nil }
func (fsm) Restore(io.ReadCloser) error         { return nil }

type snap struct{}

func (snap) Persist(sink raft.SnapshotSink) error { return sink.Close() }
func (snap) Release()                             {}

// servers starts n servers that talk by TCP.
func servers(t *testing.T, n int) []*raft.Raft {
	var conf raft.Configuration
	var transports []*raft.NetworkTransport
	for i := 0; i < n; i++ {
		trans, err := raft.NewTCPTransport("127.0.0.1:0", nil, 3, time.Second, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		transports = append(transports, trans)
		conf.Servers = append(conf.Servers, raft.Server{ID: raft.ServerID(fmt.Sprint(i)), Address: trans.LocalAddr()})
	}
	var all []*raft.Raft
	for i, trans := range transports {
		c := raft.DefaultConfig()
		c.LocalID, c.LogOutput = conf.Servers[i].ID, io.Discard
		store, snaps := raft.NewInmemStore(), raft.NewInmemSnapshotStore()
		raft.BootstrapCluster(c, store, store, snaps, trans, conf)
		r, err := raft.NewRaft(c, fsm{}, store, store, snaps, trans)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	t.Cleanup(func() {
		for i, r := range all {
			r.Shutdown().Error()
			transports[i].Close()
		}
	})
	return all
}

// leader waits for a leader.
func leader(all []*raft.Raft) *raft.Raft {
	for {
		for _, r := range all {
			if r.State() == raft.Leader {
				return r
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestSnapshot takes a snapshot beside Shutdown.
func TestSnapshot(t *testing.T) {
	r := leader(servers(t, 1))
	r.Apply([]byte("x"), time.Second).Error()
	done := make(chan bool)
	go func() { r.Snapshot().Error(); close(done) }()
	r.Shutdown().Error()
	<-done
}

// TestLeaderCh shuts the leader down. What LeaderCh has said last has to be so.
func TestLeaderCh(t *testing.T) {
	r := servers(t, 1)[0]
	var leads atomic.Bool
	stop := make(chan bool)
	go func() {
		for {
			select {
			case is := <-r.LeaderCh():
				leads.Store(is)
			case <-stop:
				return
			}
		}
	}()
	leader([]*raft.Raft{r})
	r.Shutdown().Error()
	time.Sleep(time.Second)
	if leads.Load() {
		t.Error("LeaderCh has said last that a server leads that is shut down")
	}
	close(stop)
}

// TestTransfer hands the lead over, and puts something.
func TestTransfer(t *testing.T) {
	all := servers(t, 3)
	if err := leader(all).LeadershipTransfer().Error(); err != nil {
		t.Log(err)
	}
	time.Sleep(time.Second)
	leader(all).Apply([]byte("x"), time.Second).Error()
}

// TestPipeline closes a pipeline. What is sent after that has to fail.
func TestPipeline(t *testing.T) {
	_, to := raft.NewInmemTransport("b")
	_, from := raft.NewInmemTransport("a")
	from.Connect("b", to)
	p, err := from.AppendEntriesPipeline("b", "b")
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	if _, err := p.AppendEntries(new(raft.AppendEntriesRequest), new(raft.AppendEntriesResponse)); err == nil {
		t.Error("the pipeline is closed, and takes a request")
	}
}
