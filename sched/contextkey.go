package sched

// cancelCtxKey is the key that a cancelCtx returns itself for.
var cancelCtxKey int
