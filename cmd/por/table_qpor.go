package main

// qporRow is a row of table 1 of the QPOR paper: maximal configurations, and the
// executions that sleep sets block with k = 1, 2, 3 and in source-DPOR as Nidhugg
// has it. What it does not print, for lack of time or need, is "-".
type qporRow struct {
	program string
	n, m    int
	confs   figure
	blocked [3]string // by k
	nidhugg string
}

func qporTable() []row {
	var rows []row
	for _, w := range qporRows {
		base := row{program: w.program, n: w.n, m: w.m, printed: w.confs}
		for k := 1; k <= len(w.blocked); k++ {
			r := base
			r.setting, r.column, r.blocked = setting{name: "qpor", k: &k}, "DPU", w.blocked[k-1]
			rows = append(rows, r)
		}
		for _, c := range []struct{ engine, column, blocked string }{
			{"unfold-optimal", "DPU optimal", "0"},
			{"source", "NIDHUGG", w.nidhugg},
			{"optimal", "-", "0"},
		} {
			r := base
			r.setting, r.column, r.blocked = setting{name: c.engine}, c.column, c.blocked
			rows = append(rows, r)
		}
	}
	return rows
}

var qporRows = []qporRow{
	{"disp", 5, 2, exactly(137), [3]string{"1K", "43", "0"}, "2K"},
	{"disp", 5, 3, thousands(2), [3]string{"11K", "595", "1"}, "13K"},
	{"disp", 5, 4, thousands(15), [3]string{"105K", "6K", "213"}, "115K"},
	{"disp", 5, 5, thousands(151), [3]string{"-", "53K", "2K"}, "-"},
	{"disp", 5, 6, figure{}, [3]string{"-", "-", "-"}, "-"},
	{"mpat", 4, 0, exactly(384), [3]string{"0", "-", "-"}, "0"},
	{"mpat", 5, 0, thousands(4), [3]string{"0", "-", "-"}, "0"},
	{"mpat", 6, 0, thousands(46), [3]string{"0", "-", "-"}, "0"},
	{"mpat", 7, 0, thousands(645), [3]string{"-", "-", "-"}, "0"},
	{"mpat", 8, 0, figure{}, [3]string{"-", "-", "-"}, "-"},
	{"mpc", 2, 5, exactly(60), [3]string{"560", "0", "-"}, "3K"},
	{"mpc", 3, 5, thousands(3), [3]string{"50K", "3K", "0"}, "90K"},
	{"mpc", 4, 5, thousands(314), [3]string{"-", "-", "30K"}, "-"},
	{"mpc", 5, 5, figure{}, [3]string{"-", "-", "-"}, "-"},
	{"pi", 5, 0, exactly(120), [3]string{"0", "-", "-"}, "0"},
	{"pi", 6, 0, exactly(720), [3]string{"0", "-", "-"}, "0"},
	{"pi", 7, 0, thousands(5), [3]string{"0", "-", "-"}, "-"},
	{"pi", 8, 0, thousands(40), [3]string{"0", "-", "-"}, "-"},
	{"pol", 7, 3, thousands(3), [3]string{"72K", "1K", "6"}, "90K"},
	{"pol", 8, 3, thousands(4), [3]string{"214K", "3K", "10"}, "274K"},
	{"pol", 9, 3, thousands(5), [3]string{"592K", "5K", "15"}, "-"},
	{"pol", 10, 3, thousands(7), [3]string{"-", "9K", "21"}, "-"},
	{"pol", 11, 3, thousands(10), [3]string{"-", "12K", "28"}, "-"},
	{"pol", 12, 3, thousands(12), [3]string{"-", "20K", "36"}, "-"},
}
