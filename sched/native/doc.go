// Package native is what code rewritten by package instrument calls.
package native
