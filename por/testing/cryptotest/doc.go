// Package cryptotest is the twin of testing/cryptotest, which Go has since 1.26, for por
// check.
package cryptotest
