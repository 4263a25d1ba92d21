package cluster

import (
	"bytes"
	"compress/flate"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/gopor/gopor/internal/share"
)

// queueVersion changes with what is in a queue. Fingerprints have it, too.
const queueVersion = 2

// The kinds of messages in a queue.
const (
	jobKind    = 'j'
	resultKind = 'r'
)

// A message in a queue is a head, and a body that is deflated. The head is, byte by byte: magic,
// the version, the kind, marks of the search and of the secret, and the signature.
const (
	magic    = "gopor"
	ofSearch = 16
	ofSecret = 4
	headSize = len(magic) + 2 + ofSearch + ofSecret + sha256.Size
)

// mostBody is how many bytes a body has at most, before it is deflated and after it is inflated.
const mostBody = 64 << 20

// A seal signs the messages of one search, and opens those that have its signature.
type seal struct {
	key  []byte
	head [ofSearch + ofSecret]byte
}

// newSeal returns the seal of the search of a complete fingerprint. Without a secret messages of
// other searches and damaged ones are refused, but none that was made on purpose.
func newSeal(f Fingerprint, secret []byte) *seal {
	s := &seal{key: secret}
	if secret == nil {
		s.key = []byte("no secret")
	}
	h := sha256.New()
	for _, x := range f.fields() {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(*x.value))))
		io.WriteString(h, *x.value)
	}
	copy(s.head[:ofSearch], h.Sum(nil))
	copy(s.head[ofSearch:], s.sum([]byte("which secret")))
	return s
}

// mark returns what tells the secret from others, for the metadata of streams.
func (s *seal) mark() string { return hex.EncodeToString(s.head[ofSearch:]) }

func (s *seal) sum(parts ...[]byte) []byte {
	h := hmac.New(sha256.New, s.key)
	for _, p := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		h.Write(p)
	}
	return h.Sum(nil)
}

// sign returns the message of a body, for the job of an ID. It is too large if it has more than
// most bytes, unless most is 0.
func (s *seal) sign(kind byte, id string, body []byte, most int64) ([]byte, error) {
	if len(body) > mostBody {
		return nil, &tooLarge{text: fmt.Sprintf("what is left to explore takes a message of %d bytes, of which por-cluster takes %d", len(body), mostBody)}
	}
	var z bytes.Buffer
	z.WriteString(magic)
	z.WriteByte(queueVersion)
	z.WriteByte(kind)
	z.Write(s.head[:])
	z.Write(make([]byte, sha256.Size))
	w, _ := flate.NewWriter(&z, flate.BestSpeed) // the level is valid
	w.Write(body)                                // a Buffer takes everything
	w.Close()
	b := z.Bytes()
	if most > 0 && int64(len(b)) > most {
		return nil, &tooLarge{text: fmt.Sprintf("what is left to explore takes a message of %d bytes, and the NATS server takes %d: raise its max_payload", len(b), most)}
	}
	copy(b[headSize-sha256.Size:], s.sum(b[:headSize-sha256.Size], []byte(id), b[headSize:]))
	return b, nil
}

// tooLarge says that a message has more bytes than can be sent.
type tooLarge struct{ text string }

func (e *tooLarge) Error() string { return e.text }

// open returns the body of a message. The error says in a few words why it is refused. Nothing is
// inflated before the signature was compared.
func (s *seal) open(kind byte, id string, b []byte) ([]byte, error) {
	version, search := len(magic), len(magic)+2
	secret, signature := search+ofSearch, headSize-sha256.Size
	switch {
	case len(b) < headSize || string(b[:version]) != magic:
		return nil, errors.New("it is not a message of por-cluster")
	case b[version] != queueVersion:
		return nil, fmt.Errorf("it has version %d of messages, and not %d", b[version], queueVersion)
	case b[version+1] != kind:
		return nil, errors.New("it is a message of another kind")
	case !bytes.Equal(b[search:secret], s.head[:ofSearch]):
		return nil, errors.New("it is of another program, or one with other options")
	case !bytes.Equal(b[secret:signature], s.head[ofSearch:]):
		return nil, errors.New("it is signed with another secret")
	case !hmac.Equal(b[signature:headSize], s.sum(b[:signature], []byte(id), b[headSize:])):
		return nil, errors.New("it is damaged, or signed for another job")
	}
	body, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b[headSize:])), mostBody+1))
	switch {
	case err != nil:
		return nil, errors.New("it is damaged")
	case len(body) > mostBody:
		return nil, fmt.Errorf("it has more than %d bytes", mostBody)
	}
	return body, nil
}

// isID reports whether a text can be the ID of a job: see [share.ID].
func isID(id string) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(id) == 32
}

// openJob returns the job of a message.
func (s *seal) openJob(id string, b []byte) (*share.Job, error) {
	body, err := s.open(jobKind, id, b)
	if err != nil {
		return nil, err
	}
	m, err := share.Decode(body)
	switch {
	case err != nil:
		return nil, errors.New("it cannot be decoded")
	case m.Job == nil || m.Job.For == nil:
		return nil, errors.New("there is no job in it")
	case m.Job.ID != id:
		return nil, errors.New("it is another job")
	case m.Job.Time < 0 || m.Job.Executions < 0 || m.Job.Parts < 0 || m.Job.Keep < 0 || m.Job.For.Serve:
		return nil, errors.New("it asks for what no job can ask for")
	}
	return m.Job, nil
}

// openResult returns the result of a message, as it was encoded.
func (s *seal) openResult(id string, b []byte) ([]byte, error) {
	body, err := s.open(resultKind, id, b)
	if err != nil {
		return nil, err
	}
	m, err := share.Decode(body)
	switch {
	case err != nil:
		return nil, errors.New("it cannot be decoded")
	case m.Result == nil:
		return nil, errors.New("there is no result in it")
	case m.Result.ID != id:
		return nil, errors.New("it is of another job")
	case m.Result.Ran < 0 || m.Result.Skipped < 0 || m.Result.Unfair < 0:
		return nil, errors.New("it has a negative count")
	}
	return body, nil
}
