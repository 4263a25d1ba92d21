package native

import (
	"iter"
	"reflect"

	"github.com/gopor/gopor/internal/hook"
	"github.com/gopor/gopor/sched"
)

// This file performs operations of package reflect on channels under control. A channel that an
// execution has used by its type, or made, has a shadow. The type of any other channel is known
// at run time only. Its operations are noted as uncontrolled.

// untypedChan is a *sched.Chan of any element type.
type untypedChan interface {
	Len() int
	Cap() int
	Close()
}

// ReflectedChan is a reflect.Value with methods for channels that are under control.
type ReflectedChan struct{ reflect.Value }

// ReflectChan returns v, for ReflectChan(v).Send(x).
func ReflectChan(v reflect.Value) ReflectedChan { return ReflectedChan{v} }

// control returns the shadow of v in the execution, if v is a channel. It returns nil if the
// operation does not concern the execution, or would panic.
func (v ReflectedChan) control(dir reflect.ChanDir) untypedChan {
	if !On() || v.Kind() != reflect.Chan || v.Type().ChanDir()&dir != dir || v.IsNil() {
		return nil
	}
	c, ok := hook.FoundShadow(v.UnsafePointer()).(untypedChan)
	if !ok {
		sched.Assume(sched.AssumeCode, "a channel that only package reflect has to do with")
		return nil
	}
	return c
}

// Len is v.Len().
func (v ReflectedChan) Len() int {
	if c := v.control(0); c != nil {
		return c.Len()
	}
	return v.Value.Len()
}

// Cap is v.Cap().
func (v ReflectedChan) Cap() int {
	if c := v.control(0); c != nil {
		return c.Cap()
	}
	return v.Value.Cap()
}

// Close is v.Close().
func (v ReflectedChan) Close() {
	switch c := v.control(reflect.SendDir); {
	case c == nil:
		v.Value.Close()
	case !hook.Unwinding():
		c.Close()
	}
}

// Send is v.Send(x).
func (v ReflectedChan) Send(x reflect.Value) {
	if c := v.control(reflect.SendDir); c != nil {
		sched.Select(v.sendCase(c, x))
		return
	}
	v.Value.Send(x)
}

// TrySend is v.TrySend(x).
func (v ReflectedChan) TrySend(x reflect.Value) bool {
	if c := v.control(reflect.SendDir); c != nil {
		return sched.Select(v.sendCase(c, x), sched.Default) == 0
	}
	return v.Value.TrySend(x)
}

// Recv is v.Recv().
func (v ReflectedChan) Recv() (x reflect.Value, ok bool) {
	if c := v.control(reflect.RecvDir); c != nil {
		sched.Select(v.recvCase(c, &x, &ok))
		return x, ok
	}
	return v.Value.Recv()
}

// Seq is v.Seq(), which also ranges over many other types than channels.
func (v ReflectedChan) Seq() iter.Seq[reflect.Value] {
	if v.Kind() != reflect.Chan {
		return Reflect(v.Value).Seq()
	}
	return func(yield func(reflect.Value) bool) {
		for x, ok := v.Recv(); ok && yield(x); {
			x, ok = v.Recv()
		}
	}
}

// TryRecv is v.TryRecv().
func (v ReflectedChan) TryRecv() (x reflect.Value, ok bool) {
	if c := v.control(reflect.RecvDir); c != nil {
		sched.Select(v.recvCase(c, &x, &ok), sched.Default)
		return x, ok
	}
	return v.Value.TryRecv()
}

func (v ReflectedChan) sendCase(c untypedChan, x reflect.Value) sched.Case {
	elem := reflect.New(v.Type().Elem()).Elem()
	elem.Set(x)
	return hook.Chans.SendCase(c, elem.Interface()).(sched.Case)
}

func (v ReflectedChan) recvCase(c untypedChan, x *reflect.Value, ok *bool) sched.Case {
	return hook.Chans.RecvCase(c, func(got any, sent bool) {
		*x, *ok = reflect.Zero(v.Type().Elem()), sent
		if got != nil {
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(reflect.ValueOf(got))
			*x = elem
		}
	}).(sched.Case)
}

// ReflectSelect returns a function for f, which is reflect.Select, that selects under control.
func ReflectSelect(f func([]reflect.SelectCase) (int, reflect.Value, bool)) func([]reflect.SelectCase) (int, reflect.Value, bool) {
	if !On() {
		return f
	}
	return func(cases []reflect.SelectCase) (chosen int, x reflect.Value, ok bool) {
		var asked []sched.Case
		var index []int // in cases
		def := -1
		for i, k := range cases {
			v := ReflectedChan{k.Chan}
			switch {
			case k.Dir == reflect.SelectDefault && def < 0 && !k.Chan.IsValid() && !k.Send.IsValid():
				def = i
				continue
			case k.Dir != reflect.SelectSend && k.Dir != reflect.SelectRecv:
				return f(cases) // panics
			case !k.Chan.IsValid() || k.Chan.Kind() == reflect.Chan && k.Chan.IsNil():
				continue // never ready
			case k.Dir == reflect.SelectSend:
				c := v.control(reflect.SendDir)
				if c == nil {
					return f(cases)
				}
				asked = append(asked, v.sendCase(c, k.Send))
			default:
				c := v.control(reflect.RecvDir)
				if c == nil || k.Send.IsValid() {
					return f(cases)
				}
				asked = append(asked, v.recvCase(c, &x, &ok))
			}
			index = append(index, i)
		}
		if def >= 0 {
			asked, index = append(asked, sched.Default), append(index, def)
		}
		return index[sched.Select(asked...)], x, ok
	}
}
