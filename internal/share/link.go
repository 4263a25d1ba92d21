package share

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxMessage bounds what a message may take, in bytes.
const maxMessage = 256 << 20

// A Link carries messages between two processes: each as its length, of 4 bytes, big-endian, and
// as JSON. Several goroutines may send at a time, and one receive.
type Link struct {
	in  io.Reader
	out io.WriteCloser
	mu  sync.Mutex
}

// NewLink returns the link of two pipes.
func NewLink(in io.Reader, out io.WriteCloser) *Link { return &Link{in: in, out: out} }

// Send says m. It waits for as long as the other side reads nothing.
func (l *Link) Send(m *Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(body) > maxMessage {
		return fmt.Errorf("a message of %d bytes, where %d are the most", len(body), maxMessage)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.out.Write(append(binary.BigEndian.AppendUint32(make([]byte, 0, len(body)+4), uint32(len(body))), body...))
	return err
}

// Receive waits for a message. The error is io.EOF if the other side has hung up.
func (l *Link) Receive() (*Message, error) {
	var size [4]byte
	if _, err := io.ReadFull(l.in, size[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = io.EOF
		}
		return nil, err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > maxMessage {
		return nil, fmt.Errorf("no message: it would have %d bytes", n)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(l.in, body); err != nil {
		return nil, io.EOF
	}
	m := new(Message)
	if err := json.Unmarshal(body, m); err != nil {
		return nil, fmt.Errorf("no message: %w", err)
	}
	return m, nil
}

// Close hangs up.
func (l *Link) Close() error { return l.out.Close() }
