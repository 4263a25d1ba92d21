// Package search is what engines are made of: walking through the executions of
// a program ([Walk]), depth first ([DepthFirst]), with the happens-before of the one at
// hand ([Trail]), sleep sets, fairness, the two searches that packages por and
// bpor have in common, [Backtrack] and [Optimal], and [Eager], which explores the
// solutions of a [Section].
package search
