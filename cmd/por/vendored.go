//go:build gopor_vendor

package main

// Por check replaces package testing, and packages below it, by these, which
// modules that have this command as a tool have to vendor.
import (
	_ "github.com/gopor/gopor/por/testing"
	_ "github.com/gopor/gopor/por/testing/cryptotest"
	_ "github.com/gopor/gopor/por/testing/synctest"
)
