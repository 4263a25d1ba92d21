package instrument

import (
	"go/ast"
	"strings"
)

// dated has the functions of the standard library that take or make a deadline, with the
// statements to insert at their beginning.
var dated = map[string]map[string]string{
	"net": {
		"conn.SetDeadline":         "t = gopor_deadline(t)",
		"conn.SetReadDeadline":     "t = gopor_deadline(t)",
		"conn.SetWriteDeadline":    "t = gopor_deadline(t)",
		"TCPListener.SetDeadline":  "t = gopor_deadline(t)",
		"UnixListener.SetDeadline": "t = gopor_deadline(t)",
		"Dialer.DialContext":       "d, ctx = gopor_dialing(d, ctx)",
		"Dialer.DialTCP":           "d, ctx = gopor_dialing(d, ctx)",
		"Dialer.DialUDP":           "d, ctx = gopor_dialing(d, ctx)",
		"Dialer.DialIP":            "d, ctx = gopor_dialing(d, ctx)",
		"Dialer.DialUnix":          "d, ctx = gopor_dialing(d, ctx)",
	},
	"net/http": {
		"Client.deadline":     "if s, n, ok := gopor_live.Time(true); ok && c.Timeout > 0 { return time.Unix(s, n).Add(c.Timeout) }",
		"setRequestCancel":    "if stop, did := gopor_timeout(req, rt, &deadline); stop != nil { return stop, did }",
		"Transport.roundTrip": "if b := gopor_bounded(req); b != req { resp, err := t.roundTrip(b); if resp != nil { resp.Request = req }; return resp, err }",
	},
}

// dating has the declarations that these statements use, and the function of the package before
// them. A date that is nearer to the time of the execution than to the real time is a date of
// the execution; the standard library computes other deadlines itself, from timeouts in real
// time. A context keeps its own deadline where other goroutines wait for the context itself.
var dating = map[string][2]string{
	"net": {"Dialer.DialContext", deadline + `
func gopor_dialing(d *Dialer, ctx context.Context) (*Dialer, context.Context) {
	if ctx != nil {
		if is, ok := ctx.Deadline(); ok {
			if t := gopor_deadline(is); t != is {
				ctx = gopor_context{ctx, t}
			}
		}
	}
	if d != nil {
		if t := gopor_deadline(d.Deadline); t != d.Deadline {
			c := *d
			c.Deadline = t
			d = &c
		}
	}
	return d, ctx
}`},
	// The timeout of a Client is in the execution's time, unless it waits for a connection.
	"net/http": {"Client.deadline", deadline + `
func gopor_timeout(req *Request, rt RoundTripper, deadline *time.Time) (stop func(), did func() bool) {
	if deadline.IsZero() {
		return nil, nil
	}
	s, n, ok := gopor_live.Time(true)
	if !ok {
		return nil, nil
	}
	end := *deadline
	if knownRoundTripperImpl(rt, req) {
		*deadline = time.Now().Add(end.Sub(time.Unix(s, n)))
		return nil, nil
	}
	ctx, stop := gopor_live.Expires(req.Context(), end.Unix(), int64(end.Nanosecond()))
	req.ctx = ctx.(context.Context)
	return stop, func() bool {
		s, n, ok := gopor_live.Time(true)
		return ok && !time.Unix(s, n).Before(end)
	}
}
func gopor_bounded(req *Request) *Request {
	if is, ok := req.Context().Deadline(); ok {
		if t := gopor_deadline(is); t != is {
			ctx, _ := context.WithDeadline(gopor_context{req.Context(), t}, t)
			return req.WithContext(ctx)
		}
	}
	return req
}`},
}

// deadline is the common part of dating.
const deadline = `
func gopor_deadline(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	if s, n, ok := gopor_live.Time(true); ok {
		real := time.Now()
		if left := t.Round(0).Sub(time.Unix(s, n)); left.Abs() < t.Round(0).Sub(real.Round(0)).Abs() {
			return real.Add(left)
		}
	}
	return t
}
type gopor_context struct {
	context.Context
	deadline time.Time
}
func (c gopor_context) Deadline() (time.Time, bool) { return c.deadline, true }`

// countDeadlines makes packages net and net/http convert the deadlines that a controlled
// goroutine sets from the time of its execution to real time, in which connections wait.
//
//	func (c *conn) SetDeadline(t time.Time) error {
//
// becomes, in the same line,
//
//	func (c *conn) SetDeadline(t time.Time) error { t = gopor_deadline(t);
func countDeadlines(r *rewriting) {
	for _, d := range r.AST.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil {
			name = strings.TrimPrefix(r.source(fn.Recv.List[0].Type), "*") + "." + name
		}
		if text := dated[r.Path][name]; text != "" {
			r.add(after, fn.Body.Lbrace, fn.Body.Lbrace+1, literal(" "+text+";"))
			if strings.Contains(text, "gopor_live.") {
				r.importLive()
			}
		}
		if add := dating[r.Path]; name == add[0] {
			r.After(r.AST, literal(add[1]))
			r.importLive()
		}
	}
}
