package share

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// maxMessage is the maximal size of a message in bytes.
const maxMessage = 256 << 20

// A Link carries messages between two processes. A message is its length, 4 bytes big-endian,
// followed by JSON. Length 0 is a sign of life. Several goroutines may write concurrently, and
// one may read.
//
// Only goroutines that run no execution may encode and decode messages. Both use much of the
// standard library. An execution in the same process may use that as well, and would notice.
type Link struct {
	in  io.Reader
	out io.WriteCloser
	mu  sync.Mutex
}

// NewLink returns the link of two pipes.
func NewLink(in io.Reader, out io.WriteCloser) *Link { return &Link{in: in, out: out} }

// Encode returns the bytes to write for a message.
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

// Frame returns the bytes to write for a message that was encoded as body.
func Frame(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, len(body)+4), uint32(len(body))), body...)
}

// Alive is a sign of life.
var Alive = make([]byte, 4)

// Write writes the result of [Message.Encode], or [Alive]. It blocks until the other side
// reads.
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

// Read waits for a message, to be decoded by [Decode]. A sign of life has no bytes. The error
// is io.EOF if the other side has closed the link.
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

// Close closes the link.
func (l *Link) Close() error { return l.out.Close() }
