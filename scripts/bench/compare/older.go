package main

import (
	"slices"
	"strings"
)

// Parts of the page: what was measured of each job, and what was measured by hand,
// which stays.
const (
	everything = "## Everything measured\n"
	byHand     = "## One change at a time\n"
)

// withOlder is the page of what was measured now, with the rows of the page before
// for everything that was not, so that measuring a part loses no other.
func withOlder(now, before string) string {
	before, hand, found := strings.Cut(before, byHand)
	promises, jobs, _ := strings.Cut(before, everything)
	text := answered(now, rows(promises)) + missing(rows(now), jobs) + "\n"
	if found {
		text += byHand + hand
	}
	return text
}

// answered puts rows of before where nothing was measured.
func answered(now string, before map[string]string) string {
	var page strings.Builder
	for line := range strings.Lines(strings.TrimRight(now, "\n") + "\n") {
		if old, ok := before[firstCell(line)]; ok && strings.Contains(line, "| not measured |") {
			line = old
		}
		page.WriteString(line)
	}
	return page.String()
}

// missing are the rows of jobs that are not among those of now.
func missing(now map[string]string, jobs string) string {
	var left strings.Builder
	for line := range strings.Lines(jobs) {
		if _, ok := now[firstCell(line)]; !ok && firstCell(line) != "" {
			left.WriteString(line)
		}
	}
	return left.String()
}

// rows are the lines of all tables by what stands in their first cell.
func rows(page string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(page) {
		if cell := firstCell(line); cell != "" {
			all[cell] = line
		}
	}
	return all
}

// firstCell is what a row of a table is about, empty of any other line.
func firstCell(line string) string {
	cells := strings.Split(line, "|")
	if len(cells) < 3 || slices.Contains([]string{"---", "job", "target"}, strings.TrimSpace(cells[1])) {
		return ""
	}
	return strings.TrimSpace(cells[1])
}
