package main

import (
	"fmt"

	"github.com/gopor/gopor/examples/paper"
)

// eagerRow is a program and size of the Eager POR paper's appendix A, and what it
// prints for source-DPOR (there SDPOR), EPOR-SH and EPOR: traces and dependence
// checks. Zero traces mean that it did not finish there, zero checks that the
// figure cannot be read in the copy at hand. Traces that it prints wrongly, such
// as those of EPOR for branching from 9 on, are here as they are printed.
type eagerRow struct {
	program string
	n       int
	printed [3]counts // in the order of eagerColumns
}

type counts struct{ traces, checks int64 }

// The paper has none of the engines without a column.
var eagerColumns = [...]struct{ engine, column string }{
	{"source", "SDPOR"}, {"epor-sh", "EPOR-SH"}, {"epor", "EPOR"}, {"epor-adaptive", ""}, {"optimal", ""},
}

func eagerTable() []row {
	var rows []row
	for _, w := range eagerRows {
		for i, c := range eagerColumns {
			p, _ := paper.Named(w.program)
			known, _ := p.Traces(w.n, 0)
			r := row{program: w.program, n: w.n, setting: setting{name: c.engine}, column: c.column, pairs: true}
			r.printed.least, r.printed.most = known, known
			if i < len(w.printed) && w.printed[i].traces > 0 {
				r.printed, r.checks = exactly(w.printed[i].traces), w.printed[i].checks
				if w.printed[i].traces != known {
					r.note = fmt.Sprintf("it has %d traces", known)
				}
			}
			rows = append(rows, r)
		}
	}
	return rows
}

var eagerRows = []eagerRow{
	{"readers-writers", 2, [3]counts{{2, 3}, {2, 2}, {2, 2}}},
	{"readers-writers", 3, [3]counts{{4, 28}, {4, 10}, {4, 10}}},
	{"readers-writers", 4, [3]counts{{8, 148}, {8, 33}, {8, 33}}},
	{"readers-writers", 5, [3]counts{{16, 607}, {16, 92}, {16, 92}}},
	{"readers-writers", 6, [3]counts{{32, 2155}, {32, 236}, {32, 236}}},
	{"readers-writers", 7, [3]counts{{64, 6969}, {64, 578}, {64, 578}}},
	{"readers-writers", 8, [3]counts{{128, 21107}, {128, 1375}, {128, 1375}}},
	{"readers-writers", 9, [3]counts{{256, 60885}, {256, 3204}, {256, 3204}}},
	{"readers-writers", 10, [3]counts{{512, 169111}, {512, 7346}, {512, 7346}}},
	{"readers-writers", 11, [3]counts{{1024, 455705}, {1024, 16618}, {1024, 16618}}},
	{"readers-writers", 12, [3]counts{{2048, 1197851}, {2048, 37165}, {2048, 37165}}},
	{"readers-writers", 13, [3]counts{{4096, 3083805}, {4096, 82300}, {4096, 82300}}},
	{"readers-writers", 14, [3]counts{{8192, 7799839}, {8192, 180696}, {8192, 180696}}},
	{"readers-writers", 15, [3]counts{{16384, 19429409}, {16384, 393794}, {16384, 393794}}},
	{"readers-writers", 16, [3]counts{{32768, 47759395}, {32768, 852007}, {32768, 852007}}},
	{"readers-writers", 17, [3]counts{{65536, 0}, {65536, 1835844}, {65536, 1835844}}},
	{"readers-writers", 18, [3]counts{{131072, 278986791}, {131072, 3933150}, {131072, 3933150}}},
	{"readers-writers", 19, [3]counts{{262144, 664600617}, {262144, 8389770}, {262144, 8389770}}},
	{"readers-writers", 20, [3]counts{{524288, 1570045995}, {524288, 17827145}, {524288, 17827145}}},
	{"indexer", 11, [3]counts{{1, 880}, {1, 880}, {1, 880}}},
	{"indexer", 12, [3]counts{{8, 27072}, {8, 19325}, {8, 19325}}},
	{"indexer", 13, [3]counts{{64, 485600}, {64, 239590}, {64, 239590}}},
	{"indexer", 14, [3]counts{{512, 5279831}, {512, 2812237}, {512, 2812237}}},
	{"indexer", 15, [3]counts{{4096, 79436769}, {4096, 35103635}, {4096, 35103635}}},
	{"indexer", 16, [3]counts{{32768, 1345407904}, {32805, 466384458}, {32805, 466384458}}},
	{"lastzero", 2, [3]counts{{2, 9}, {2, 13}, {2, 8}}},
	{"lastzero", 3, [3]counts{{6, 0}, {6, 0}, {6, 0}}},
	{"lastzero", 4, [3]counts{{16, 0}, {16, 0}, {16, 0}}},
	{"lastzero", 5, [3]counts{{40, 13613}, {40, 4279}, {40, 4976}}},
	{"lastzero", 6, [3]counts{{96, 66384}, {96, 19645}, {96, 29570}}},
	{"lastzero", 7, [3]counts{{224, 274999}, {224, 79578}, {224, 147844}}},
	{"lastzero", 8, [3]counts{{512, 1109904}, {512, 294877}, {512, 647298}}},
	{"lastzero", 9, [3]counts{{1152, 3836659}, {1152, 1464128}, {1152, 2884130}}},
	{"lastzero", 10, [3]counts{{2560, 15149844}, {2560, 5405445}, {2578, 11544604}}},
	{"lastzero", 11, [3]counts{{5632, 51558504}, {5632, 16019928}, {5632, 40368624}}},
	{"lastzero", 12, [3]counts{{12288, 175535648}, {12288, 41678637}, {12288, 125302898}}},
	{"lastzero", 13, [3]counts{{26624, 565002531}, {26624, 111575184}, {26624, 347226642}}},
	{"lastzero", 14, [3]counts{{57344, 1744754931}, {57344, 300987594}, {57344, 1005154306}}},
	{"lastzero", 15, [3]counts{{122880, 4019531983}, {122880, 514821851}, {122880, 1896719286}}},
	{"lastzero", 16, [3]counts{{0, 0}, {262144, 1934932782}, {262144, 7232899654}}},
	{"shared-pointer", 10, [3]counts{{21, 80395}, {21, 61207}, {21, 60546}}},
	{"shared-pointer", 20, [3]counts{{41, 661981}, {41, 528044}, {41, 525351}}},
	{"shared-pointer", 30, [3]counts{{61, 2374011}, {61, 1932212}, {61, 1923801}}},
	{"shared-pointer", 40, [3]counts{{81, 6201931}, {81, 5060976}, {81, 5042257}}},
	{"shared-pointer", 50, [3]counts{{101, 14074966}, {101, 11494347}, {101, 11459539}}},
	{"shared-pointer", 60, [3]counts{{121, 27575051}, {121, 22323086}, {121, 22263258}}},
	{"shared-pointer", 70, [3]counts{{141, 49302287}, {141, 39524860}, {141, 39430039}}},
	{"shared-pointer", 80, [3]counts{{161, 83360055}, {161, 66218755}, {161, 66076608}}},
	{"shared-pointer", 90, [3]counts{{181, 128693768}, {181, 102871367}, {181, 102676446}}},
	{"shared-pointer", 100, [3]counts{{201, 192707828}, {201, 154847568}, {201, 154590222}}},
	{"ring", 2, [3]counts{{2, 3}, {2, 2}, {2, 2}}},
	{"ring", 3, [3]counts{{6, 39}, {6, 11}, {6, 11}}},
	{"ring", 4, [3]counts{{14, 247}, {14, 43}, {14, 43}}},
	{"ring", 5, [3]counts{{30, 1231}, {30, 139}, {30, 139}}},
	{"ring", 6, [3]counts{{62, 4932}, {62, 397}, {62, 397}}},
	{"ring", 7, [3]counts{{126, 17742}, {126, 1038}, {126, 1038}}},
	{"ring", 8, [3]counts{{254, 0}, {254, 2540}, {254, 2540}}},
	{"ring", 9, [3]counts{{510, 191381}, {510, 5577}, {510, 5577}}},
	{"ring", 10, [3]counts{{1022, 543438}, {1022, 12281}, {1022, 12281}}},
	{"ring", 11, [3]counts{{2046, 1551020}, {2046, 27769}, {2046, 27769}}},
	{"ring", 12, [3]counts{{4094, 4498596}, {4094, 61507}, {4094, 61507}}},
	{"ring", 13, [3]counts{{8190, 12342751}, {8190, 127345}, {8190, 127345}}},
	{"ring", 14, [3]counts{{16382, 36655573}, {16382, 261835}, {16382, 261835}}},
	{"ring", 15, [3]counts{{32766, 0}, {32766, 534423}, {32766, 534423}}},
	{"ring", 16, [3]counts{{65534, 278381118}, {65534, 1084045}, {65534, 1084045}}},
	{"ring", 17, [3]counts{{131070, 734642101}, {131070, 2096753}, {131070, 2096753}}},
	{"ring", 18, [3]counts{{0, 0}, {262142, 4167297}, {262142, 4167297}}},
	{"ring", 19, [3]counts{{0, 0}, {524286, 8653144}, {524286, 8653144}}},
	{"ring", 20, [3]counts{{0, 0}, {1048574, 9495364}, {1048574, 9495364}}},
	{"ring", 21, [3]counts{{0, 0}, {2097150, 20329204}, {2097150, 20329204}}},
	{"branching", 2, [3]counts{{11, 181}, {11, 174}, {11, 142}}},
	{"branching", 3, [3]counts{{28, 3169}, {28, 2679}, {28, 2206}}},
	{"branching", 4, [3]counts{{103, 24945}, {103, 21967}, {103, 17296}}},
	{"branching", 5, [3]counts{{311, 145186}, {311, 143461}, {311, 114640}}},
	{"branching", 6, [3]counts{{1010, 796033}, {1010, 809098}, {1010, 645243}}},
	{"branching", 7, [3]counts{{3165, 3963738}, {3165, 4153755}, {3165, 3332731}}},
	{"branching", 8, [3]counts{{10063, 19677616}, {10063, 19995225}, {10063, 16091273}}},
	{"branching", 9, [3]counts{{31780, 102640823}, {31775, 106250930}, {30921, 68635810}}},
	{"branching", 10, [3]counts{{100651, 516099474}, {100327, 530295199}, {99920, 325828401}}},
	{"branching", 11, [3]counts{{318363, 2200202598}, {316881, 2091377423}, {318978, 1343673801}}},
	{"ring-extended", 2, [3]counts{{6, 41}, {6, 38}, {6, 9}}},
	{"ring-extended", 3, [3]counts{{90, 2264}, {72, 1553}, {90, 126}}},
	{"ring-extended", 4, [3]counts{{786, 44477}, {786, 39708}, {786, 1632}}},
	{"ring-extended", 5, [3]counts{{5730, 631224}, {5730, 565678}, {5730, 16734}}},
	{"ring-extended", 6, [3]counts{{38466, 7537485}, {38466, 6747840}, {38466, 144095}}},
	{"ring-extended", 7, [3]counts{{247170, 81503018}, {247170, 72416459}, {0, 0}}},
	{"ring-extended", 8, [3]counts{{1548546, 806537903}, {1548546, 720212287}, {0, 0}}},
}
