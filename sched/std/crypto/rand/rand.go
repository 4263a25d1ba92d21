package rand

import (
	"crypto/rand"
	"encoding/binary"
	"io"
	"math/big"
	pseudo "math/rand/v2"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
	"github.com/gopor/gopor/sched/std/internal/random"
)

// Reader is a source of random bytes.
var Reader io.Reader = reader{}

type reader struct{}

func (reader) Read(b []byte) (int, error) {
	if s := stream(); s != nil {
		return s.Read(b)
	}
	return rand.Reader.Read(b)
}

var sources = &random.Sources[pseudo.ChaCha8]{New: func(number uint64) *pseudo.ChaCha8 {
	sched.Assume(sched.AssumeRandom, "numbers from crypto/rand")
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], number)
	return pseudo.NewChaCha8(seed)
}}

// controlled reports whether the calling goroutine is controlled.
func controlled() bool { return hook.Active() && !hook.Unwinding() }

// stream returns the source of the calling goroutine, or nil if that is not controlled.
func stream() *pseudo.ChaCha8 {
	if !controlled() {
		return nil
	}
	return sources.Own()
}

// Read fills b with random bytes. It never fails.
func Read(b []byte) (n int, err error) {
	if _, ok := Reader.(reader); ok && stream() == nil {
		return rand.Read(b)
	}
	if n, err = io.ReadFull(Reader, b); err != nil {
		panic("crypto/rand: failed to read random data (see https://go.dev/issue/66821): " + err.Error())
	}
	return n, nil
}

// letters are the letters of base 32.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

// Text returns a random text of at least 128 bits.
func Text() string {
	s := stream()
	if s == nil {
		return rand.Text()
	}
	text := make([]byte, len(rand.Text()))
	for i := range text {
		text[i] = letters[s.Uint64()%uint64(len(letters))]
	}
	return string(text)
}

// Int returns a random number below max.
func Int(r io.Reader, max *big.Int) (n *big.Int, err error) {
	if _, ok := r.(reader); ok && controlled() && max.IsInt64() {
		if n, ok := hook.Draw(max.Int64()); ok {
			return big.NewInt(n), nil
		}
	}
	return rand.Int(r, max)
}

// Prime returns a random prime with a number of bits, from the original package.
func Prime(r io.Reader, bits int) (*big.Int, error) {
	sched.Assume(sched.AssumeSource, "crypto/rand.Prime")
	return rand.Prime(r, bits)
}
