package datastructures

//go:generate go test -run TestControlled -update .
