package live

// A registry has variables of a package of the standard library.
type registry struct {
	begin func()
	list  []any
}

var registries = make(map[string]registry)

// Keep registers variables of a package of the standard library that others change by its
// functions, by pointers. The function begin is called before the variables are read. Keep must
// be called at the start of the program.
func Keep(path string, begin func(), list ...any) { registries[path] = registry{begin, list} }

// Kept returns the pointers registered for a package, or nil if there are none.
func Kept(path string) []any {
	r, ok := registries[path]
	if !ok {
		return nil
	}
	r.begin()
	return r.list
}

// Keeps reports whether the package has registered variables.
func Keeps(path string) bool { return registries[path].list != nil }
