package machine

// cancelCtxKey is the key that a cancelCtx returns itself for.
var CancelCtxKey int
