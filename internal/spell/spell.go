// Package spell suggests corrections of misspelt words.
package spell

import "strings"

// Word returns the closest of some words. That is the only one that word is a prefix of, or
// else one with few errors: letters missing, added, changed or swapped with the next. In a word
// with n letters n/3 errors are allowed, and one in a short word. Word returns "" if there is
// none.
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

// Mean returns the question whether the closest word was meant, with a prefix for words, such
// as a dash. It is "" if no word is close, and begins with "; " otherwise.
func Mean(before, word string, words []string) string {
	if w := Word(word, words); w != "" {
		return "; did you mean " + before + w + "?"
	}
	return ""
}

// Unknown returns the text that follows an unknown name: the suggestion of [Mean], and the
// allowed words.
func Unknown(mean, allowed string) string {
	if mean != "" {
		return mean + " Allowed: " + allowed
	}
	return "; allowed: " + allowed
}

// distance returns the number of letters that have to be added, removed, changed or swapped
// with the next to turn a into b, regardless of case.
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
