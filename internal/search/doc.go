// Package search has the parts that engines share. It walks through the executions of a program
// ([Walk]), depth first ([DepthFirst]), with the happens-before relation of the present execution
// ([Trail]). It has sleep sets and fairness. [Backtrack] and [Optimal] are the two searches that
// packages por and bpor share, and [Eager] explores the solutions of a [Section].
package search
