package bfcl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"tribunal/read/internal/readtest"
)

const (
	failed  = `{"id":"a_0","model_name":"m","test_category":"a","valid":false,"error":["no"]}` + "\n"
	results = `{"id":"a_0","result":[]}` + "\n" + `{"id":"a_1","result":"x"}` + "\n"
)

func totals(correct, total int) string {
	return fmt.Sprintf(`{"accuracy":0.5,"correct_count":%d,"total_count":%d}`+"\n", correct, total)
}

// TestFolder: the result file is found where the leaderboard keeps it.
func TestFolder(t *testing.T) {
	for path, found := range map[string]bool{
		"../../../result/m/live/BFCL_v4_a_result.json": true, "../../result/m/BFCL_v3_a_result.json": true, "../../../result/other/live/BFCL_v4_a_result.json": false,
	} {
		s := &readtest.Sink{}
		err := ReadIn(strings.NewReader(totals(1, 2)+failed), s, func(asked string) (io.ReadCloser, error) {
			if asked != path {
				return nil, fs.ErrNotExist
			}
			return io.NopCloser(strings.NewReader(results)), nil
		})
		if err != nil || (len(s.Trials) == 2) != found || (len(s.Problems) == 0) != found {
			t.Errorf("%s: %v %q %+v", path, err, s.Lines(), s.Problems)
		}
	}
	s := &readtest.Sink{}
	outside := strings.Replace(failed, `"m"`, `"../../m"`, 1)
	err := ReadIn(strings.NewReader(totals(1, 2)+outside), s, func(asked string) (io.ReadCloser, error) {
		t.Errorf("a model that is a path leads to %s", asked)
		return nil, errors.New("no")
	})
	if err != nil || len(s.Trials) > 0 {
		t.Errorf("%v %q", err, s.Lines())
	}
}
