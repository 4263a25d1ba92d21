package share

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// maxMessage bounds what a message may take, in bytes.
const maxMessage = 256 << 20

// A Link carries messages between two processes: each as its length, of 4 bytes, big-endian, and
// as JSON; a length of 0 says that its sender is alive. Several goroutines may write at a time, and one read.
//
// To encode and decode messages is for goroutines that run no execution meanwhile: they use much of the
// standard library, which an execution in the same process may use as well, and would have to be told.
type Link struct {
	in  io.Reader
	out io.WriteCloser
	mu  sync.Mutex
}

// NewLink returns the link of two pipes.
func NewLink(in io.Reader, out io.WriteCloser) *Link { return &Link{in: in, out: out} }

// Encode returns what is to be written of a message.
func (m *Message) Encode() ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	if len(body) > maxMessage {
		return nil, fmt.Errorf("a message of %d bytes, where %d are the most", len(body), maxMessage)
	}
	return Frame(body), nil
}

// Frame returns what is to be written of a message that was encoded as body.
func Frame(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, len(body)+4), uint32(len(body))), body...)
}

// Alive is what says that its sender is alive.
var Alive = make([]byte, 4)

// Write writes what [Message.Encode] has returned, or [Alive]. It waits for as long as the other side reads
// nothing.
func (l *Link) Write(b []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err := l.out.Write(b)
	return err
}

// Send encodes and writes a message.
func (l *Link) Send(m *Message) error {
	b, err := m.Encode()
	if err != nil {
		return err
	}
	return l.Write(b)
}

// Read waits for a message, which [Decode] decodes. It has no bytes if it says that its sender is alive. The
// error is io.EOF if the other side has hung up.
func (l *Link) Read() ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(l.in, size[:]); err != nil {
		return nil, io.EOF
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxMessage {
		return nil, fmt.Errorf("no message: it would have %d bytes", n)
	}
	body, err := readBody(l.in, int(n))
	if err != nil {
		return nil, io.EOF
	}
	return body, nil
}

// firstBytes is how much memory a message gets before any of it has come.
const firstBytes = 64 << 10

// readBody reads n bytes. The memory grows with what comes: a length may be damaged.
func readBody(in io.Reader, n int) (body []byte, err error) {
	for have := 0; have < n; have = len(body) {
		body = append(body, make([]byte, min(n-have, max(have, firstBytes)))...)
		if _, err := io.ReadFull(in, body[have:]); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// Decode decodes a message.
func Decode(body []byte) (*Message, error) {
	m := new(Message)
	if len(body) == 0 {
		return m, nil
	}
	if err := json.Unmarshal(body, m); err != nil {
		return nil, fmt.Errorf("no message: %w", err)
	}
	return m, nil
}

// Close hangs up.
func (l *Link) Close() error { return l.out.Close() }
