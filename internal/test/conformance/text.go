package conformance

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gopor/gopor/sched"
)

var (
	timeNames  = []string{sched.TimeDiscrete: "discrete", sched.TimeAnyOrder: "any", sched.TimeLag: "lag"}
	modelNames = []string{"fine", "stream"}
	models     = []sched.Model{sched.ModelFine, sched.ModelStream}
	raceNames  = []string{sched.RaceFail: "fail", sched.RaceExplore: "explore", sched.RaceIgnore: "ignore"}
)

// String returns the text of p, which Parse reads.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "time %s\nraces %s\n", timeNames[p.Time], raceNames[p.Races])
	if p.Lag != 0 {
		fmt.Fprintf(&b, "lag %d\n", p.Lag)
	}
	if p.Polls != 0 {
		fmt.Fprintf(&b, "polls %d\n", p.Polls)
	}
	if p.Model != 0 {
		fmt.Fprintf(&b, "model %s\n", modelNames[slices.Index(models, p.Model)])
	}
	if p.Own {
		b.WriteString("pools own\n")
	}
	for i := range p.Objects {
		o := &p.Objects[i]
		if o.Home == Global {
			b.WriteString("global ")
		}
		fmt.Fprintf(&b, "%s %s", o.Kind.name, o.Name)
		if o.Ref >= 0 {
			fmt.Fprintf(&b, " %s", p.Objects[o.Ref].Name)
		}
		if o.Kind.n != nil {
			fmt.Fprintf(&b, " %d", o.N)
		}
		if o.Kind.fn {
			fmt.Fprintf(&b, " %d", o.Fn)
		}
		if o.Home > 0 {
			fmt.Fprintf(&b, " in %d", o.Home)
		}
		b.WriteByte('\n')
	}
	for _, steps := range p.Funcs {
		b.WriteString("func\n")
		for i := range steps {
			fmt.Fprintf(&b, "\t%s\n", p.stepString(&steps[i]))
		}
	}
	return b.String()
}

func (p *Program) stepString(s *Step) string {
	text := ""
	if s.Defer {
		text += "defer "
	}
	if s.Try {
		text += "try "
	}
	text += s.Op.name
	if s.Obj >= 0 {
		text += " " + p.Objects[s.Obj].Name
	}
	for i := range s.Op.args {
		text += " " + strconv.FormatInt(s.Args[i], 10)
	}
	if s.Op != ops["select"] {
		return text
	}
	var cases []string
	for _, k := range s.Cases {
		if k.Send {
			cases = append(cases, fmt.Sprintf("send %s %d", p.Objects[k.Obj].Name, k.Val))
		} else {
			cases = append(cases, "recv "+p.Objects[k.Obj].Name)
		}
	}
	if s.Default {
		cases = append(cases, "default")
	}
	return text + " " + strings.Join(cases, ", ")
}

// MustParse is Parse for a program that is known to be right.
func MustParse(text string) *Program {
	p, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return p
}

// Parse reads the text of a program, and checks it.
func Parse(text string) (*Program, error) {
	r := parser{p: &Program{}, names: make(map[string]int)}
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		if r.words = strings.Fields(strings.ReplaceAll(line, ",", " , ")); len(r.words) == 0 {
			continue
		}
		if err := r.line(); err != nil {
			return nil, fmt.Errorf("line %d, %q: %w", n+1, strings.TrimSpace(line), err)
		}
	}
	return r.p, r.p.Check()
}

// parser reads one line at a time; words is what is left of it.
type parser struct {
	p     *Program
	names map[string]int
	words []string
}

// next takes a word off the line, "" at its end.
func (r *parser) next() string {
	if len(r.words) == 0 {
		return ""
	}
	w := r.words[0]
	r.words = r.words[1:]
	return w
}

// take takes a word off the line if it is w.
func (r *parser) take(w string) bool {
	if len(r.words) == 0 || r.words[0] != w {
		return false
	}
	r.words = r.words[1:]
	return true
}

func (r *parser) number() (int64, error) { return strconv.ParseInt(r.next(), 10, 64) }

func (r *parser) object() (int, error) {
	name := r.next()
	i, ok := r.names[name]
	if !ok {
		return 0, fmt.Errorf("no object is called %q", name)
	}
	return i, nil
}

func (r *parser) line() (err error) {
	switch {
	case r.take("func"):
		r.p.Funcs = append(r.p.Funcs, nil)
	case len(r.p.Funcs) > 0:
		err = r.step()
	case r.take("time"):
		var i int
		i, err = index(timeNames, r.next())
		r.p.Time = sched.TimeMode(i)
	case r.take("lag"):
		r.p.Lag, err = r.number()
	case r.take("polls"):
		r.p.Polls, err = r.number()
	case r.take("model"):
		var i int
		if i, err = index(modelNames, r.next()); err == nil {
			r.p.Model = models[i]
		}
	case r.take("pools"):
		_, err = index([]string{"own"}, r.next())
		r.p.Own = true
	case r.take("races"):
		var i int
		i, err = index(raceNames, r.next())
		r.p.Races = sched.RaceMode(i)
	default:
		err = r.declaration()
	}
	if err == nil && len(r.words) > 0 {
		err = fmt.Errorf("too much: %s", strings.Join(r.words, " "))
	}
	return err
}

func index(names []string, name string) (int, error) {
	i := slices.Index(names, name)
	if i < 0 {
		return 0, fmt.Errorf("%q is none of %s", name, strings.Join(names, ", "))
	}
	return i, nil
}

func (r *parser) declaration() (err error) {
	o := Object{Ref: -1}
	if r.take("global") {
		o.Home = Global
	}
	name := r.next()
	if o.Kind = kinds[name]; o.Kind == nil {
		return fmt.Errorf("there is no kind %q", name)
	}
	o.Name = r.next()
	if o.Kind.ref != "" && len(r.words) > 0 {
		if i, ok := r.names[r.words[0]]; ok {
			o.Ref = i
			r.next()
		}
	}
	if o.Kind.n != nil {
		if o.N, err = r.number(); err != nil {
			return err
		}
	}
	if o.Kind.fn {
		n, err := r.number()
		if err != nil {
			return err
		}
		o.Fn = int(n)
	}
	if r.take("in") {
		n, err := r.number()
		if err != nil {
			return err
		}
		o.Home = int(n)
	}
	r.names[o.Name] = len(r.p.Objects)
	r.p.Objects = append(r.p.Objects, o)
	return nil
}

func (r *parser) step() (err error) {
	s := Step{Obj: -1}
	s.Defer = r.take("defer")
	s.Try = r.take("try")
	name := r.next()
	if s.Op = ops[name]; s.Op == nil {
		return fmt.Errorf("there is no step %q", name)
	}
	if s.Op.on != "" {
		if s.Obj, err = r.object(); err != nil {
			return err
		}
	}
	for i := range s.Op.args {
		if s.Args[i], err = r.number(); err != nil {
			return err
		}
	}
	if s.Op == ops["select"] {
		if err := r.cases(&s); err != nil {
			return err
		}
	}
	last := len(r.p.Funcs) - 1
	r.p.Funcs[last] = append(r.p.Funcs[last], s)
	return nil
}

func (r *parser) cases(s *Step) (err error) {
	for len(r.words) > 0 {
		if r.take("default") {
			s.Default = true
			return nil
		}
		k := Case{Send: r.take("send")}
		if !k.Send && !r.take("recv") {
			return fmt.Errorf("%q is none of send, recv, default", r.next())
		}
		if k.Obj, err = r.object(); err != nil {
			return err
		}
		if k.Send {
			if k.Val, err = r.number(); err != nil {
				return err
			}
		}
		s.Cases = append(s.Cases, k)
		r.take(",")
	}
	return nil
}
