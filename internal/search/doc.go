// Package search is what engines are made of: walking through the executions of
// a program ([Walk]), knowing how the events of one depend on each other
// ([Trail]), sleep sets, fairness, and the two searches that packages por and
// bpor have in common, [Backtrack] and [Optimal].
package search
