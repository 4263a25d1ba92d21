package live

// A registry has variables of a package of the standard library.
type registry struct {
	begin func()
	list  []any
}

var registries = make(map[string]registry)

// Keep says where a package of the standard library has variables that others change by its functions, given pointers
// to them, and what is to be called before somebody looks at them. It is for the start of the program.
func Keep(path string, begin func(), list ...any) { registries[path] = registry{begin, list} }

// Kept returns those pointers, nil if the package has told of none.
func Kept(path string) []any {
	r, ok := registries[path]
	if !ok {
		return nil
	}
	r.begin()
	return r.list
}

// Keeps reports whether the package has told of any.
func Keeps(path string) bool { return registries[path].list != nil }
