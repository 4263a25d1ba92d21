// Package engine has the engines. An engine decides which executions a search of package por runs.
// [Auto] is the default: it is [Optimal] as long as that is in time, and hunts beside it otherwise.
//
//   - [Optimal], [Source], [DPOR], [Eager] and [Reverse] run one execution of every Mazurkiewicz
//     trace, or little more, and [DFS] runs every interleaving.
//   - [Stateful], [SPOR], [DESPOR] and [DLSPOR] recognise states.
//   - [Random], [PCT], [POS] and [SURW] draw executions. [Hunt] goes bound by bound before that.
//
// Packages bpor and unfold have more. The page on engines says which is for what, and how each is
// judged. An engine of your own needs two methods: see package sched/trace.
package engine
