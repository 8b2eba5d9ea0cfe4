//go:build unix

package history

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tribunal/envelope"
)

// A folder that cannot be written to is read from, and adding says what to do.
// Root may write anywhere, so the test becomes nobody in another process.
func TestReadOnlyFolder(t *testing.T) {
	dir, place := inFolder(t)
	got, err := readAsNobody(t, dir, place)
	if err != nil || !strings.Contains(got, "1 run\n") || !strings.Contains(got, "cannot be written; change its permissions") {
		t.Errorf("%q, %v; want one run read, and what to do about adding", got, err)
	}
}

// What a killed writer left can be rolled back only where one may write.
func TestReadOnlyFolderOfAKilledWriter(t *testing.T) {
	dir, place := inFolder(t)
	killInside(t, "spill", place, 0)
	if err := os.Chmod(place+"-journal", 0o444); err != nil {
		t.Fatal(err)
	}
	if got, err := readAsNobody(t, dir, place); err == nil || !strings.Contains(got, "a writer was killed while it wrote") {
		t.Errorf("%q, %v; want what happened and what to do", got, err)
	}
}

// inFolder stores a run in a folder, which anybody may reach: not below that of t.
func inFolder(t *testing.T) (dir, place string) {
	dir, err := os.MkdirTemp("", "history")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	place = filepath.Join(dir, "history.db")
	s := open(t, place, Write)
	add(t, s, golden(t, "one-pass"))
	s.Close()
	return dir, place
}

// readAsNobody reads and adds as somebody who may write neither the folder nor the file.
func readAsNobody(t *testing.T, dir, place string) (string, error) {
	if err := os.Chmod(place, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	cmd := start(t, "read", place, 0)
	if os.Getuid() == 0 {
		cmd.Path = "/proc/self/exe" // nobody may not walk to where the test lies
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

func init() { processes["read"] = readOnly }

// readOnly reads the history, then tries to add.
func readOnly(ctx context.Context, place string, _ int) error {
	s, err := Open(ctx, place, Read)
	if err != nil {
		return err
	}
	runs, _, err := s.List(ctx, Selection{})
	if err != nil {
		return err
	}
	os.Stdout.WriteString(strings.Repeat("1 run\n", len(runs)))
	s.Close()
	if s, err = Open(ctx, place, Write); err == nil {
		_, _, err = s.Add(ctx, &envelope.Envelope{})
	}
	if err != nil {
		os.Stdout.WriteString(err.Error())
	}
	return nil
}
