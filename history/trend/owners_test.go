package trend

import (
	"fmt"
	"testing"
)

func TestByOwner(t *testing.T) {
	made := handMade(map[string]string{
		"broke": "555555550000", "also broke": "555555550000", "flaky": "535453423434", "fine": "555555555555", "fine too": "555555555555",
	})
	owners := map[string][]string{"broke": {"@web", "@all"}, "also broke": {"@web"}, "flaky": {"@all", "@ops"}, "fine": {"@web"}, "fine too": {"@calm"}}
	for i := range made.Tests {
		made.Tests[i].Owners = owners[made.Tests[i].Test]
	}
	var got []string
	for _, o := range made.ByOwner() {
		got = append(got, o.Owner+" "+o.Says())
	}
	want := []string{"@all 1 broken, 1 flaky of 2 tests", "@web 2 broken of 3 tests", "@ops 1 flaky of 1 test"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}
