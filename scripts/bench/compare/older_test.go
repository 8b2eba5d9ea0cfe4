package main

import "testing"

// A part that is measured again replaces its own rows and no others: a page once
// lost the values of all targets of the parts that were not measured.
func TestWithOlder(t *testing.T) {
	before := "# Results\n\n| target | measured | promised | |\n| --- | ---: | ---: | --- |\n" +
		"| fast | 0.4 | at most 0.5 | met |\n| small | 2 | at most 1 | **not met** |\n| gone | 1 | at most 1 | met |\n\n" + everything +
		"| job | runs |\n| --- | ---: |\n| a | 1 |\n| b | 1 |\n\n" + byHand + "\nby hand | a | b\n| a | by hand |\n"
	now := "# Results\n\n| target | measured | promised | |\n| --- | ---: | ---: | --- |\n" +
		"| fast | not measured | at most 0.5 | |\n| small | 0.9 | at most 1 | met |\n| new | not measured | at most 3 | |\n\n" + everything +
		"| job | runs |\n| --- | ---: |\n| b | 2 |\n| c | 2 |\n\n"
	want := "# Results\n\n| target | measured | promised | |\n| --- | ---: | ---: | --- |\n" +
		"| fast | 0.4 | at most 0.5 | met |\n| small | 0.9 | at most 1 | met |\n| new | not measured | at most 3 | |\n\n" + everything +
		"| job | runs |\n| --- | ---: |\n| b | 2 |\n| c | 2 |\n| a | 1 |\n\n" + byHand + "\nby hand | a | b\n| a | by hand |\n"
	if got := withOlder(now, before); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
