package machine

// ContextKey is the key that a context which can be cancelled has its [Key] for.
var ContextKey int
