package cryptotest

import (
	"encoding/binary"
	pseudo "math/rand/v2"
	"testing/cryptotest"

	twin "github.com/gopor/gopor/por/testing"
	"github.com/gopor/gopor/sched/std/crypto/rand"
	"github.com/gopor/gopor/sched/std/sync"
)

// SetGlobalRandom makes package crypto/rand return pseudorandom numbers until the end of the
// test, which must not be parallel. In an execution other packages are not affected.
func SetGlobalRandom(t *twin.T, seed uint64) {
	if t == nil {
		panic("cryptotest: SetGlobalRandom called with a nil *testing.T")
	}
	if native := twin.Gopor__Native(t); native != nil {
		cryptotest.SetGlobalRandom(native, seed)
		return
	}
	twin.Gopor__Sequential(t)
	var s [32]byte
	binary.LittleEndian.PutUint64(s[:], seed)
	previous := rand.Reader
	rand.Reader = &reader{from: pseudo.NewChaCha8(s)}
	t.Cleanup(func() { rand.Reader = previous })
}

// reader is a source with a lock, which goroutines may have to wait for.
type reader struct {
	sync.Mutex
	from *pseudo.ChaCha8
}

func (r *reader) Read(b []byte) (n int, err error) {
	r.Lock()
	defer r.Unlock()
	return r.from.Read(b)
}
