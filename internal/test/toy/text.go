package toy

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gopor/gopor/sched"
)

// String returns the text of p, which [Parse] reads.
func (p *Program) String() string {
	var b strings.Builder
	switch p.Time {
	case sched.TimeAnyOrder:
		b.WriteString("time any\n")
	case sched.TimeLag:
		fmt.Fprintf(&b, "time lag %d\n", p.Lag)
	}
	for _, o := range p.Objects {
		fmt.Fprintf(&b, "%v %s", o.Kind, o.Name)
		switch o.Kind {
		case Cell, Chan, Timer, Ticker:
			fmt.Fprintf(&b, " %d", o.N)
		case Cond:
			b.WriteString(" " + p.name(o.Ref))
		case After:
			fmt.Fprintf(&b, " %d %d", o.N, o.Ref)
		}
		b.WriteByte('\n')
	}
	for _, body := range p.Threads {
		b.WriteString("thread\n")
		for i := range body {
			b.WriteString("\t" + p.instrString(&body[i]) + "\n")
		}
	}
	return b.String()
}

func (p *Program) name(obj int) string {
	if obj < 0 || obj >= len(p.Objects) {
		return fmt.Sprintf("object%d", obj)
	}
	return p.Objects[obj].Name
}

func (v Value) String() string {
	if v.IsReg {
		return "r" + strconv.FormatInt(v.N, 10)
	}
	return strconv.FormatInt(v.N, 10)
}

func (p *Program) instrString(in *Instr) string {
	if in.Code == If {
		word := "if"
		if in.Not {
			word = "unless"
		}
		return fmt.Sprintf("%s r%d == %v skip %d", word, in.Reg, in.Args[0], in.N)
	}
	var b strings.Builder
	info := &codes[in.Code]
	if info.result && in.Dst >= 0 {
		fmt.Fprintf(&b, "r%d = ", in.Dst)
	}
	b.WriteString(info.name)
	if info.on != 0 {
		b.WriteString(" " + p.name(in.Obj))
	}
	for _, v := range in.Args[:info.args] {
		b.WriteString(" " + v.String())
	}
	if info.n {
		fmt.Fprintf(&b, " %d", in.N)
	}
	var cases []string
	for _, k := range in.Cases {
		if k.Send {
			cases = append(cases, " send "+p.name(k.Obj)+" "+k.Val.String())
		} else {
			cases = append(cases, " recv "+p.name(k.Obj))
		}
	}
	if in.Default {
		cases = append(cases, " default")
	}
	b.WriteString(strings.Join(cases, ","))
	return b.String()
}

// Parse reads a program from its text and checks it.
func Parse(text string) (*Program, error) {
	r := reader{p: new(Program), refs: map[int]string{}}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(strings.ReplaceAll(line, ",", " , "))
		if len(fields) == 0 {
			continue
		}
		if err := r.line(fields); err != nil {
			return nil, fmt.Errorf("toy: line %d: %q: %w", i+1, strings.TrimSpace(line), err)
		}
	}
	for obj, name := range r.refs {
		ref, err := r.object(name)
		if err != nil {
			return nil, fmt.Errorf("toy: cond %s: %w", r.p.Objects[obj].Name, err)
		}
		r.p.Objects[obj].Ref = ref
	}
	return r.p, r.p.Check()
}

// MustParse is Parse for texts that are known to be right.
func MustParse(text string) *Program {
	p, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return p
}

type reader struct {
	p    *Program
	refs map[int]string // the mutex of a cond, by name
}

func (r *reader) line(f []string) error {
	switch {
	case f[0] == "thread":
		r.p.Threads = append(r.p.Threads, []Instr{})
		return nil
	case f[0] == "time":
		return r.time(f[1:])
	}
	if n := len(r.p.Threads); n > 0 {
		in, err := r.instr(f)
		if err == nil {
			r.p.Threads[n-1] = append(r.p.Threads[n-1], in)
		}
		return err
	}
	return r.declare(f)
}

// time reads how time passes.
func (r *reader) time(f []string) (err error) {
	switch {
	case len(f) == 1 && f[0] == "any":
		r.p.Time = sched.TimeAnyOrder
	case len(f) == 2 && f[0] == "lag":
		r.p.Time = sched.TimeLag
		r.p.Lag, err = strconv.ParseInt(f[1], 10, 64)
	default:
		err = fmt.Errorf("want: time any, or time lag N")
	}
	return err
}

func (r *reader) declare(f []string) error {
	o := Object{Kind: numObjKinds}
	for k, name := range objKindNames {
		if name == f[0] {
			o.Kind = ObjKind(k)
		}
	}
	want := 2
	switch o.Kind {
	case numObjKinds:
		return fmt.Errorf("no such kind of object")
	case Cell, Chan, Timer, Ticker, Cond:
		want = 3
	case After:
		want = 4
	}
	if len(f) != want {
		return fmt.Errorf("want %d words", want)
	}
	o.Name = f[1]
	switch o.Kind {
	case Cond:
		r.refs[len(r.p.Objects)] = f[2]
	case After:
		ref, err := strconv.Atoi(f[3])
		if err != nil {
			return err
		}
		o.Ref = ref
		fallthrough
	case Cell, Chan, Timer, Ticker:
		n, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return err
		}
		o.N = n
	}
	r.p.Objects = append(r.p.Objects, o)
	return nil
}

func (r *reader) object(name string) (int, error) {
	for i, o := range r.p.Objects {
		if o.Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no object %s", name)
}

func value(s string) (Value, error) {
	reg := strings.HasPrefix(s, "r")
	n, err := strconv.ParseInt(strings.TrimPrefix(s, "r"), 10, 64)
	return Value{IsReg: reg, N: n}, err
}

func register(s string) (int, error) {
	v, err := value(s)
	if err == nil && !v.IsReg {
		err = fmt.Errorf("%s is not a register", s)
	}
	return int(v.N), err
}

func (r *reader) instr(f []string) (in Instr, err error) {
	in.Dst = -1
	if f[0] == "if" || f[0] == "unless" {
		return r.branch(f)
	}
	if len(f) > 2 && f[1] == "=" {
		if in.Dst, err = register(f[0]); err != nil {
			return in, err
		}
		f = f[2:]
	}
	in.Code = numCodes
	for c := Spawn; c < numCodes; c++ {
		if codes[c].name == f[0] {
			in.Code = c
		}
	}
	if in.Code == numCodes {
		return in, fmt.Errorf("no such instruction")
	}
	f = f[1:]
	if in.Code == Select {
		err = r.cases(&in, f)
		return in, err
	}
	info := &codes[in.Code]
	want := info.args
	if info.on != 0 {
		want++
	}
	if info.n {
		want++
	}
	if len(f) != want {
		return in, fmt.Errorf("want %d operands", want)
	}
	if info.on != 0 {
		if in.Obj, err = r.object(f[0]); err != nil {
			return in, err
		}
		f = f[1:]
	}
	for i := range info.args {
		if in.Args[i], err = value(f[i]); err != nil {
			return in, err
		}
	}
	if info.n {
		in.N, err = strconv.ParseInt(f[info.args], 10, 64)
	}
	return in, err
}

func (r *reader) branch(f []string) (in Instr, err error) {
	if len(f) != 6 || f[2] != "==" || f[4] != "skip" {
		return in, fmt.Errorf("want: if REGISTER == VALUE skip NUMBER")
	}
	in = Instr{Code: If, Dst: -1, Not: f[0] == "unless"}
	if in.Reg, err = register(f[1]); err != nil {
		return in, err
	}
	if in.Args[0], err = value(f[3]); err != nil {
		return in, err
	}
	in.N, err = strconv.ParseInt(f[5], 10, 64)
	return in, err
}

func (r *reader) cases(in *Instr, f []string) error {
	for len(f) > 0 {
		n := 0
		for n < len(f) && f[n] != "," {
			n++
		}
		k := f[:n]
		switch {
		case n == 1 && k[0] == "default":
			in.Default = true
		case n == 2 && k[0] == "recv", n == 3 && k[0] == "send":
			obj, err := r.object(k[1])
			if err != nil {
				return err
			}
			c := Case{Send: n == 3, Obj: obj}
			if c.Send {
				if c.Val, err = value(k[2]); err != nil {
					return err
				}
			}
			in.Cases = append(in.Cases, c)
		default:
			return fmt.Errorf("want cases: recv CHAN, send CHAN VALUE, default")
		}
		f = f[min(n+1, len(f)):]
	}
	return nil
}
