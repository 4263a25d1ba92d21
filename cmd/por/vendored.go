//go:build gopor_vendor

package main

// Por test -check replaces package testing by this one, which modules that have
// this command as a tool have to vendor.
import _ "github.com/gopor/gopor/por/testing"
