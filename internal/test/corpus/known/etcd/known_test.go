package raft

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coreos/etcd/raft"
	pb "github.com/coreos/etcd/raft/raftpb"
)

// server is a node, its storage, and the goroutine that does what it asks for.
type server struct {
	raft.Node
	storage *raft.MemoryStorage
}

// servers starts three nodes that send messages to each other by calls of Step. The third one is
// cut off while the flag is false.
func servers(t *testing.T) ([]*server, *atomic.Bool) {
	const n = 3
	third := new(atomic.Bool)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	var peers []raft.Peer
	for i := range n {
		peers = append(peers, raft.Peer{ID: uint64(i + 1)})
	}
	all := make([]*server, n)
	for i := range all {
		s := &server{storage: raft.NewMemoryStorage()}
		s.Node = raft.StartNode(&raft.Config{ID: uint64(i + 1), ElectionTick: 10, HeartbeatTick: 1, Storage: s.storage,
			MaxSizePerMsg: 1 << 20, MaxInflightMsgs: 16, PreVote: true, Logger: quiet{}}, peers)
		all[i] = s
	}
	for _, s := range all {
		wg.Go(func() {
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					s.Tick()
				case rd := <-s.Ready():
					s.storage.Append(rd.Entries)
					if !raft.IsEmptyHardState(rd.HardState) {
						s.storage.SetHardState(rd.HardState)
					}
					if !raft.IsEmptySnap(rd.Snapshot) {
						s.storage.ApplySnapshot(rd.Snapshot)
					}
					for _, m := range rd.Messages {
						if third.Load() || m.To != n && m.From != n {
							wg.Go(func() { all[m.To-1].Step(ctx, m) })
						}
					}
					for _, e := range rd.CommittedEntries {
						if e.Type == pb.EntryConfChange {
							var cc pb.ConfChange
							cc.Unmarshal(e.Data)
							s.ApplyConfChange(cc)
						}
					}
					s.Advance()
				case <-ctx.Done():
					s.Stop()
					return
				}
			}
		})
	}
	t.Cleanup(func() { cancel(); wg.Wait() })
	return all, third
}

// TestLead cuts a follower off. It must not name a leader when it looks for another one.
func TestLead(t *testing.T) {
	all, third := servers(t)
	third.Store(true)
	for all[2].Status().Lead == raft.None {
		time.Sleep(100 * time.Millisecond)
	}
	third.Store(false)
	for range 50 {
		time.Sleep(100 * time.Millisecond)
		if st := all[2].Status(); st.RaftState == raft.StatePreCandidate {
			if st.Lead != raft.None {
				t.Error("a server looks for a leader, and names one:", st.Lead)
			}
			return
		}
	}
	t.Error("the server does not see that it is cut off")
}

type quiet struct{}

func (quiet) Debug(...any)              {}
func (quiet) Debugf(string, ...any)     {}
func (quiet) Error(...any)              {}
func (quiet) Errorf(string, ...any)     {}
func (quiet) Info(...any)               {}
func (quiet) Infof(string, ...any)      {}
func (quiet) Warning(...any)            {}
func (quiet) Warningf(string, ...any)   {}
func (quiet) Fatal(v ...any)            { panic(v) }
func (quiet) Fatalf(f string, v ...any) { panic(f) }
func (quiet) Panic(v ...any)            { panic(v) }
func (quiet) Panicf(f string, v ...any) { panic(f) }
