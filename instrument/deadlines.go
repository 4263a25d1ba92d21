package instrument

import (
	"go/ast"
	"strings"
)

// dated are the methods of package net that are given a deadline, with what they do first.
var dated = map[string]string{
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
}

// dating is what they use. A date that is nearer to the time of the execution is one of that: what the standard
// library has made of a timeout itself is one of the real time. The deadline of a context is needed as it is where the
// context itself has others wait.
const dating = `
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
func (c gopor_context) Deadline() (time.Time, bool) { return c.deadline, true }
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
}`

// countDeadlines lets package net count the deadlines that a controlled goroutine sets from the time of its execution: connections
// wait in real time.
//
//	func (c *conn) SetDeadline(t time.Time) error {
//
// becomes, in the same line,
//
//	func (c *conn) SetDeadline(t time.Time) error { t = gopor_deadline(t);
func countDeadlines(r *rewriting) {
	if r.Path != "net" {
		return
	}
	dials := false
	for _, d := range r.AST.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Recv == nil {
			continue
		}
		if text := dated[strings.TrimPrefix(r.source(fn.Recv.List[0].Type), "*")+"."+fn.Name.Name]; text != "" {
			r.add(after, fn.Body.Lbrace, fn.Body.Lbrace+1, literal(" "+text+";"))
			dials = dials || fn.Name.Name == "DialContext"
		}
	}
	if dials {
		r.After(r.AST, literal(dating))
		r.importLive()
	}
}
