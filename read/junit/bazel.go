package junit

import (
	"path"
	"strconv"
	"strings"

	"tribunal/internal/packing"
)

// BazelTries is the folder beside a test.xml of Bazel with those of the attempts
// before it, by --flaky_test_attempts.
const BazelTries = "test_attempts"

// TryOf is the number of an attempt, 0-based, by the name of its file, and the path
// from there to the file of the last one.
func TryOf(name string) (try int32, last string, is bool) {
	folder, file := path.Split(strings.ReplaceAll(name, `\`, "/"))
	if path.Base(folder) != BazelTries {
		return 0, "", false
	}
	number, begins := strings.CutPrefix(file, "attempt_")
	number, ends := strings.CutSuffix(packing.Cut(number), ".xml")
	n, err := strconv.ParseInt(number, 10, 32)
	if !begins || !ends || err != nil || n < 1 {
		return 0, "", false
	}
	return int32(n - 1), "../test.xml", true
}
