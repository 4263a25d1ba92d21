package main

// qporRow is a row of table 1 of the QPOR paper: maximal configurations, and then
// seconds and executions that sleep sets block with k = 1, 2, 3, optimally and in
// source-DPOR as Nidhugg has it, and megabytes of the last two. What it does not
// print, for lack of time or need, is "-" or nothing, and TO is more than eight
// minutes.
type qporRow struct {
	program string
	n, m    int
	confs   figure
	seconds [5]string
	blocked [5]string
	memory  [2]string
}

func qporTable() []row {
	var rows []row
	for _, w := range qporRows {
		for i, c := range []struct{ engine, column, memory string }{
			{"qpor", "DPU k=1", ""},
			{"qpor", "DPU k=2", ""},
			{"qpor", "DPU k=3", ""},
			{"unfold-optimal", "DPU optimal", w.memory[0]},
			{"source", "NIDHUGG", w.memory[1]},
		} {
			r := row{program: w.program, n: w.n, m: w.m, printed: w.confs, column: c.column,
				seconds: w.seconds[i], blocked: w.blocked[i], memory: c.memory}
			r.setting.name = c.engine
			if k := i + 1; k <= 3 {
				r.setting.k = &k
			}
			rows = append(rows, r)
			if c.engine == "unfold-optimal" {
				for _, other := range []string{"unfold-comb", "optimal"} {
					r.setting.name, r.column, r.seconds, r.memory = other, "", "", ""
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

var qporRows = []qporRow{
	{"disp", 5, 2, exactly(137), [5]string{"0.8", "0.4", "0.4", "0.4", "1.2"}, [5]string{"1K", "43", "0", "0", "2K"}, [2]string{"37", "33"}},
	{"disp", 5, 3, thousands(2), [5]string{"5.4", "1.3", "1.0", "1.0", "10.8"}, [5]string{"11K", "595", "1", "0", "13K"}, [2]string{"37", "33"}},
	{"disp", 5, 4, thousands(15), [5]string{"58.5", "16.4", "10.3", "10.3", "109"}, [5]string{"105K", "6K", "213", "0", "115K"}, [2]string{"87", "33"}},
	{"disp", 5, 5, thousands(151), [5]string{"TO", "476", "280", "257", "TO"}, [5]string{"-", "53K", "2K", "0", "-"}, [2]string{"729", "33"}},
	{"disp", 5, 6, figure{}, [5]string{"TO", "TO", "TO", "TO", "TO"}, [5]string{"-", "-", "-", "0", "-"}, [2]string{"1131", "33"}},
	{"mpat", 4, 0, exactly(384), [5]string{"0.5", "", "", "0.5", "0.6"}, [5]string{"0", "-", "-", "0", "0"}, [2]string{"37", "33"}},
	{"mpat", 5, 0, thousands(4), [5]string{"2.4", "", "", "2.7", "1.8"}, [5]string{"0", "-", "-", "0", "0"}, [2]string{"37", "33"}},
	{"mpat", 6, 0, thousands(46), [5]string{"50.6", "", "", "73.2", "21.5"}, [5]string{"0", "-", "-", "0", "0"}, [2]string{"214", "33"}},
	{"mpat", 7, 0, thousands(645), [5]string{"TO", "TO", "TO", "TO", "359"}, [5]string{"-", "-", "-", "0", "0"}, [2]string{"660", "33"}},
	{"mpat", 8, 0, figure{}, [5]string{"TO", "TO", "TO", "TO", "TO"}, [5]string{"-", "-", "-", "0", "-"}, [2]string{"689", "33"}},
	{"mpc", 2, 5, exactly(60), [5]string{"0.6", "0.4", "-", "0.4", "2.0"}, [5]string{"560", "0", "-", "0", "3K"}, [2]string{"38", "34"}},
	{"mpc", 3, 5, thousands(3), [5]string{"26.5", "3.0", "1.7", "1.7", "70.7"}, [5]string{"50K", "3K", "0", "0", "90K"}, [2]string{"38", "34"}},
	{"mpc", 4, 5, thousands(314), [5]string{"TO", "TO", "391", "296", "TO"}, [5]string{"-", "-", "30K", "0", "-"}, [2]string{"239", "33"}},
	{"mpc", 5, 5, figure{}, [5]string{"TO", "TO", "TO", "TO", "TO"}, [5]string{"-", "-", "-", "0", "-"}, [2]string{"834", "34"}},
	{"pi", 5, 0, exactly(120), [5]string{"0.4", "", "", "0.5", "19.6"}, [5]string{"0", "-", "-", "0", "0"}, [2]string{"39", "35"}},
	{"pi", 6, 0, exactly(720), [5]string{"0.7", "", "", "0.7", "123"}, [5]string{"0", "-", "-", "0", "0"}, [2]string{"39", "35"}},
	{"pi", 7, 0, thousands(5), [5]string{"3.5", "", "", "4.0", "TO"}, [5]string{"0", "-", "-", "0", "-"}, [2]string{"45", "34"}},
	{"pi", 8, 0, thousands(40), [5]string{"48.1", "", "", "42.9", "TO"}, [5]string{"0", "-", "-", "0", "-"}, [2]string{"246", "34"}},
	{"pol", 7, 3, thousands(3), [5]string{"48.5", "2.9", "1.9", "1.9", "74.1"}, [5]string{"72K", "1K", "6", "0", "90K"}, [2]string{"39", "33"}},
	{"pol", 8, 3, thousands(4), [5]string{"153", "5.5", "3.0", "3.0", "251"}, [5]string{"214K", "3K", "10", "0", "274K"}, [2]string{"52", "33"}},
	{"pol", 9, 3, thousands(5), [5]string{"464", "9.5", "4.8", "4.8", "TO"}, [5]string{"592K", "5K", "15", "0", "-"}, [2]string{"73", "33"}},
	{"pol", 10, 3, thousands(7), [5]string{"TO", "17.2", "6.8", "7.1", "TO"}, [5]string{"-", "9K", "21", "0", "-"}, [2]string{"99", "33"}},
	{"pol", 11, 3, thousands(10), [5]string{"TO", "27.2", "9.7", "10.6", "TO"}, [5]string{"-", "12K", "28", "0", "-"}, [2]string{"138", "33"}},
	{"pol", 12, 3, thousands(12), [5]string{"TO", "46.3", "13.5", "16.4", "TO"}, [5]string{"-", "20K", "36", "0", "-"}, [2]string{"184", "33"}},
}
