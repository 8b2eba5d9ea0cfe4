package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tribunal/run/process"
)

// listing runs a command that lists tests, and returns what it wrote. It is held like a
// trial: what it starts cannot keep the call waiting by its end of a pipe, and nothing
// of it outlives it, or this program.
func listing(argv []string, leaveBehind bool) (stdout []byte, stderr string, err error) {
	folder, err := os.MkdirTemp("", "tribunal-list-*")
	if err != nil {
		return nil, "", fmt.Errorf("making a temporary folder (see TMPDIR): %w", err)
	}
	remove := func() { _ = os.RemoveAll(folder) }
	defer stop.meanwhile(remove)()
	defer remove()
	id, _ := newID(time.Now())
	group, err := process.Open(process.Options{Run: id, LeaveBehind: leaveBehind})
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, group.Close()) }()
	told, said := filepath.Join(folder, "stdout"), filepath.Join(folder, "stderr")
	p, err := group.Start(process.Command{ID: id, Argv: argv, Stdout: told, Stderr: said})
	if err != nil {
		return nil, "", err
	}
	failed := badly(p.Wait())
	stdout, unread := os.ReadFile(told)
	words, unheard := os.ReadFile(said)
	return stdout, string(words), errors.Join(failed, unread, unheard)
}

// badly is how a command ended that did not end well.
func badly(end process.End) error {
	switch {
	case end.Why == process.OutputLimit:
		return errors.New("it was ended for what it wrote: more than 64 MiB")
	case end.Signal != "":
		return fmt.Errorf("it died by signal %s", end.Signal)
	case end.Code != 0:
		return fmt.Errorf("exit status %d", end.Code)
	}
	return nil
}
