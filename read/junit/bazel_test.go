package junit

import "testing"

func TestTryOf(t *testing.T) {
	for name, want := range map[string]int32{
		"test_attempts/attempt_1.xml": 0, "a/test_attempts/attempt_12.xml": 11, `a\test_attempts\attempt_2.xml`: 1, "a/test_attempts/attempt_3.xml.gz": 2,
		"a/test_attempts/attempt_0.xml": -1, "a/test_attempts/attempt_x.xml": -1, "a/attempt_1.xml": -1, "a/test_attempts/test.xml": -1, "": -1,
	} {
		try, last, is := TryOf(name)
		if is != (want >= 0) || is && (try != want || last != "../test.xml") {
			t.Errorf("%q: %d %q %v, want %d", name, try, last, is, want)
		}
	}
}
