package instrument

import "testing"

// TestAwaitsGolden compares files in which loops say where their turns begin with those next to
// them.
func TestAwaitsGolden(t *testing.T) {
	golden(t, "testdata/awaits/*.txtar", by(rewriteAwaits, rewriteChannels, rewriteChanRanges, rewriteSelects, rewriteActs))
}

// TestCountedGolden is that for files in which loops say how far they have counted.
func TestCountedGolden(t *testing.T) { golden(t, "testdata/counted/*.txtar", by(rewriteCounted)) }

// by returns what makes files new by some rewriters.
func by(rewriters ...rewriter) func(*Package, []Source) []Source {
	return func(p *Package, sources []Source) (after []Source) {
		texts, _ := rewriteBy(rewriters, p)
		for i, text := range texts {
			after = append(after, Source{sources[i].Name, text})
		}
		return after
	}
}
