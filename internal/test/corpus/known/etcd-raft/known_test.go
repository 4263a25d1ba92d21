package raft

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// server is a node, its storage, and the goroutine that does what it asks for.
type server struct {
	raft.Node
	storage *raft.MemoryStorage
	applied chan uint64 // indexes
}

// servers starts three nodes that send messages to each other by calls of Step. The third one gets
// none until the flag is true.
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
		s := &server{storage: raft.NewMemoryStorage(), applied: make(chan uint64, 10)}
		s.Node = raft.StartNode(&raft.Config{ID: uint64(i + 1), ElectionTick: 10, HeartbeatTick: 1, Storage: s.storage,
			MaxSizePerMsg: 1 << 20, MaxInflightMsgs: 16, Logger: quiet{}}, peers)
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
						if m.GetTo() != n || third.Load() {
							wg.Go(func() { all[m.GetTo()-1].Step(ctx, m) })
						}
					}
					for _, e := range rd.CommittedEntries {
						if e.GetType() == pb.EntryConfChange {
							var cc pb.ConfChange
							proto.Unmarshal(e.Data, &cc)
							s.ApplyConfChange(&cc)
						} else if len(e.Data) > 0 {
							s.applied <- e.GetIndex()
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

// TestSnapshot keeps a snapshot, and a server that could not be reached gets it.
func TestSnapshot(t *testing.T) {
	all, third := servers(t)
	all[0].Campaign(context.Background())
	time.Sleep(500 * time.Millisecond)
	if err := all[0].Propose(context.Background(), []byte("x")); err != nil {
		t.Fatal(err)
	}
	index := <-all[0].applied
	snap, err := all[0].storage.CreateSnapshot(index, &pb.ConfState{Voters: []uint64{1, 2, 3}}, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	all[0].storage.Compact(index)
	third.Store(true)
	if snap.GetMetadata().GetIndex() != index { // as when the snapshot is written to a file
		t.Error("a snapshot of something else")
	}
	time.Sleep(500 * time.Millisecond)
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
