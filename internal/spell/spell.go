// Package spell finds what a misspelt word was meant to be.
package spell

import "strings"

// Word returns the nearest of some words: the only one that begins so, or one of which a third of the
// letters, and one of a short word, are missing, added, changed or swapped with the next. It is ""
// if there is none.
func Word(word string, words []string) string {
	best, least, begins := "", 0, 0
	for _, w := range words {
		if word != "" && strings.HasPrefix(w, word) {
			if begins++; begins == 1 {
				best = w
			}
		}
	}
	if begins == 1 {
		return best
	}
	best = ""
	for _, w := range words {
		d := distance(word, w)
		if d <= max(1, min(len(word), len(w))/3) && (best == "" || d < least) {
			best, least = w, d
		}
	}
	return best
}

// Mean returns the question whether the nearest word was meant, with what comes before words, such as
// a dash. It is "" if no word is near, and begins with "; " otherwise.
func Mean(before, word string, words []string) string {
	if w := Word(word, words); w != "" {
		return "; did you mean " + before + w + "?"
	}
	return ""
}

// Unknown returns what follows the name of something that is unknown: what was meant, as by [Mean], and
// what is allowed.
func Unknown(mean, allowed string) string {
	if mean != "" {
		return mean + " Allowed: " + allowed
	}
	return "; allowed: " + allowed
}

// distance returns how many letters have to be added, left out, changed or swapped with their
// neighbour to make b of a, whatever their case.
func distance(a, b string) int {
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			differ := 1
			if x[i-1] == y[j-1] {
				differ = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+differ)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
