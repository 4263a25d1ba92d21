// Package cryptotest is the twin of testing/cryptotest for por test -check. Go has that
// since 1.26.
package cryptotest
