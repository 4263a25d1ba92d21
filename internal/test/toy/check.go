package toy

import "fmt"

// Check reports what makes p no program: a reference to something that does not
// exist or is of the wrong kind, a thread that could run for ever.
func (p *Program) Check() error {
	if len(p.Threads) == 0 {
		return fmt.Errorf("toy: a program needs a thread")
	}
	for i, o := range p.Objects {
		if err := p.checkObject(&o); err != nil {
			return fmt.Errorf("toy: object %d, %s %s: %w", i, o.Kind, o.Name, err)
		}
		for _, other := range p.Objects[:i] {
			if other.Name == o.Name {
				return fmt.Errorf("toy: two objects are called %s", o.Name)
			}
		}
	}
	for t, body := range p.Threads {
		for i := range body {
			if err := p.checkInstr(t, i, &body[i]); err != nil {
				return fmt.Errorf("toy: thread %d, instruction %d, %q: %w", t, i, p.instrString(&body[i]), err)
			}
		}
		if err := p.checkNesting(body); err != nil {
			return fmt.Errorf("toy: thread %d: %w", t, err)
		}
	}
	return nil
}

func (p *Program) checkObject(o *Object) error {
	switch {
	case o.Kind >= numObjKinds:
		return fmt.Errorf("there is no kind %d", o.Kind)
	case o.Name == "":
		return fmt.Errorf("no name")
	case o.Kind == Chan && o.N < 0, o.Kind >= Timer && o.N < 0, o.Kind == Ticker && o.N == 0:
		return fmt.Errorf("%d is too small", o.N)
	case o.Kind == Cond && !(o.Ref >= 0 && o.Ref < len(p.Objects) && p.Objects[o.Ref].Kind == Mutex):
		return fmt.Errorf("it needs a mutex")
	case o.Kind == After && !(o.Ref > 0 && o.Ref < len(p.Threads)):
		return fmt.Errorf("it needs a thread other than main, below %d", len(p.Threads))
	}
	return nil
}

func (p *Program) checkInstr(t, i int, in *Instr) error {
	if in.Code >= numCodes {
		return fmt.Errorf("there is no code %d", in.Code)
	}
	info := &codes[in.Code]
	if info.on != 0 {
		if in.Obj < 0 || in.Obj >= len(p.Objects) || !info.on.has(p.Objects[in.Obj].Kind) {
			return fmt.Errorf("no such operation on that object")
		}
	}
	if in.Dst >= Regs || in.Dst >= 0 && !info.result {
		return fmt.Errorf("no result for register %d", in.Dst)
	}
	for _, v := range in.Args[:info.args] {
		if err := checkValue(v); err != nil {
			return err
		}
	}
	switch in.Code {
	case If:
		if in.Reg < 0 || in.Reg >= Regs || in.N < 1 || i+1+int(in.N) > len(p.Threads[t]) {
			return fmt.Errorf("register or number out of range")
		}
		return checkValue(in.Args[0])
	case Spawn, Join:
		if in.N <= int64(t) || in.N >= int64(len(p.Threads)) {
			return fmt.Errorf("want a thread from %d to %d", t+1, len(p.Threads)-1)
		}
	case Choose:
		if in.N < 1 {
			return fmt.Errorf("want at least one alternative")
		}
	case Sleep:
		if in.N < 1 {
			return fmt.Errorf("want a positive time")
		}
	case Reset:
		o := &p.Objects[in.Obj]
		if in.N < 0 || o.Kind == Ticker && in.N == 0 {
			return fmt.Errorf("time out of range")
		}
		if o.Kind == After && o.Ref <= t {
			return fmt.Errorf("a thread may not restart itself or a thread before it")
		}
	case Do:
		if in.N < 0 || i+1+int(in.N) > len(p.Threads[t]) {
			return fmt.Errorf("number out of range")
		}
	}
	return p.checkCases(in)
}

func (p *Program) checkCases(in *Instr) error {
	for _, k := range in.Cases {
		if k.Obj < 0 || k.Obj >= len(p.Objects) {
			return fmt.Errorf("no such object")
		}
		if kind := p.Objects[k.Obj].Kind; kind != Chan && (k.Send || kind != Timer && kind != Ticker) {
			return fmt.Errorf("no channel to do that")
		}
		if err := checkValue(k.Val); err != nil {
			return err
		}
	}
	return nil
}

func checkValue(v Value) error {
	if v.IsReg && (v.N < 0 || v.N >= Regs) {
		return fmt.Errorf("there is no register %d", v.N)
	}
	return nil
}

// checkNesting sees to it that no branch leaves the function of a Once and that
// such functions nest.
func (p *Program) checkNesting(body []Instr) error {
	for i, in := range body {
		if in.Code != Do {
			continue
		}
		end := i + 1 + int(in.N)
		for j := i + 1; j < end; j++ {
			if k := &body[j]; (k.Code == If || k.Code == Do) && j+1+int(k.N) > end {
				return fmt.Errorf("instruction %d leads out of the function of the once in instruction %d", j, i)
			}
		}
		for j := range i {
			if k := &body[j]; k.Code == If && j+1+int(k.N) > i && j+1+int(k.N) < end {
				return fmt.Errorf("instruction %d leads into the function of the once in instruction %d", j, i)
			}
		}
	}
	return nil
}
