// Package journal records a run of tribunal run in a file. Every start and end is on the disk
// before anything depends on it, so a run that died can resume, and no complete trial runs again.
//
// # The file
//
// DIR/journal.ndjson is a trial stream (tribunal/trials/v1) at every moment: the run (Header),
// its tests (Tests), then as they happen Start, Held, Trial, Beyond, Cut, Ended and Resume, and
// at last End. Each line is appended with one call. DIR/out has kept outputs, DIR/raw outputs
// of running trials, DIR/torn incomplete lines after a crash.
//
// # Writing
//
// Append writes lines. Sync returns when all earlier lines are on the disk; calls that
// wait at the same time share one. Commit does both. After a failure, such as a full
// disk, every later call returns that error, so that no line is missing in between.
//
// # Changes by others
//
// A trial can truncate, edit or remove the file. An unnamed copy keeps what was written:
// Damage compares, Restore writes the file again, and reports use Seen. Each line ends with
// a running hash, which shows later edits.
//
// # Resuming
//
// Open takes the lock of a journal, which one process has at a time, and cuts off an
// incomplete last line. Check compares the plan of the run, Replay reads the lines.
//
// Package runner knows what the lines mean. Counting and judging read a journal like
// any other input.
package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"tribunal/envelope"
	"tribunal/internal/hashchain"
	"tribunal/internal/words"
)

// Names of files in the directory of a journal.
const (
	FileName       = "journal.ndjson"
	InvocationName = "invocation.json" // how the run was asked for
	tornName       = "torn"
	outName        = "out"
	rawName        = "raw"
)

// Only the owner may read outputs of tests.
const (
	privateDir  fs.FileMode = 0o700
	privateFile fs.FileMode = 0o600
)

// Journal is a journal that this process has locked. Several goroutines may call its
// methods; lines are in the order of the calls.
type Journal struct {
	// Redact, if set, redacts texts of trials before they are written. Set it before the
	// first line is appended.
	Redact func(string) string

	dir    string
	lock   *holding
	header Header
	plan   string // its checksum
	end    string // how the run ended, "" if it has not
	torn   int    // bytes that were cut off

	mu       sync.Mutex // guards the fields below
	file     file
	seen     *seen            // nil if the file is not on a disk
	chain    *hashchain.Chain // nil if the journal has no hashes
	written  int              // lines
	synced   int              // lines
	syncing  bool
	waiting  sync.Cond // for the end of a sync
	writeErr error     // returned by every later call
	syncErr  error
}

type file interface {
	io.Writer
	sync() error
	Close() error
}

// disk is a file that syncs data but not times.
type disk struct{ *os.File }

func (d disk) sync() error { return syncData(d.File) }

// Create makes the directory, takes its lock, and writes and syncs the run and its tests.
func Create(dir string, h Header) (*Journal, error) {
	j, err := create(dir, h)
	switch {
	case unwritable(err):
		return nil, fmt.Errorf("cannot begin the journal %s: %w: name a folder that you may write in, with --journal", dir, err)
	case errors.As(err, new(*LockedError)):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("cannot begin the journal %s: %w", dir, words.OfFile(err))
	}
	return j, nil
}

func create(dir string, h Header) (*Journal, error) {
	for _, t := range h.Plan.Tests {
		if err := checkName(t.Key); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(dir, privateDir); err != nil {
		return nil, err
	}
	lock, err := hold(dir)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, FileName), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, privateFile)
	if errors.Is(err, fs.ErrExist) {
		f, err = openEmpty(filepath.Join(dir, FileName))
	}
	if err != nil {
		return nil, errors.Join(err, lock.release())
	}
	h.Run.PlannedTrials = envelope.Opt[int64]{}
	j := newJournal(dir, lock, disk{f})
	j.header, j.plan, j.chain = h, h.Plan.sum(), new(hashchain.Chain)
	if err = j.see(); err == nil {
		err = j.begin()
	}
	if err != nil {
		return nil, errors.Join(err, j.Close(), j.Forget())
	}
	syncDirectory(dir)
	syncDirectory(filepath.Dir(dir))
	return j, nil
}

// openEmpty opens the file of a run that died before it wrote anything.
func openEmpty(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, privateFile)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (info.Size() > 0 || !info.Mode().IsRegular()) {
		err = errors.New("there is a run already; resume it (--resume), or name another folder")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func newJournal(dir string, lock *holding, f file) *Journal {
	j := &Journal{dir: dir, lock: lock, file: f}
	j.waiting.L = &j.mu
	return j
}

func (j *Journal) begin() error {
	h := &j.header
	run, err := marshal(wireRun{Type: typeRun, Schema: envelope.TrialSchema, Header: h.Run, Policy: h.Plan.Policy,
		Journal: version, Plan: j.plan, Seed: h.Plan.Seed, Boot: h.Boot})
	if err != nil {
		return err
	}
	if err := j.write([][]byte{run}); err != nil {
		return err
	}
	return j.Commit(h.Plan.Tests)
}

// Header returns the run and its tests.
func (j *Journal) Header() Header { return j.header }

// Dir is the directory of the journal.
func (j *Journal) Dir() string { return j.dir }

// Path is the file of the journal.
func (j *Journal) Path() string { return filepath.Join(j.dir, FileName) }

// Ended is how the run ended when the journal was opened, "" if it had not.
func (j *Journal) Ended() string { return j.end }

// Torn is how many bytes of an unfinished line were cut off when the journal was opened.
func (j *Journal) Torn() int { return j.torn }

// Append writes lines. They are on the disk when a later Sync returns. After an error
// nothing more is written, and every call returns it.
func (j *Journal) Append(lines ...Line) error {
	redact := j.Redact
	if redact == nil {
		redact = func(s string) string { return s }
	}
	var texts [][]byte
	for _, l := range lines {
		encoded, err := encode(l, redact)
		if err != nil {
			return j.fail(err)
		}
		texts = append(texts, encoded...)
	}
	return j.write(texts)
}

func (j *Journal) write(texts [][]byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, text := range texts {
		if j.writeErr != nil {
			return j.writeErr
		}
		if j.chain != nil {
			text = j.chain.Link(text)
		}
		n, err := j.file.Write(text)
		if err == nil && n < len(text) {
			err = io.ErrShortWrite
		}
		if err == nil && j.seen != nil {
			n, err = j.seen.Write(text)
			j.seen.size += int64(n)
		}
		if err != nil {
			j.writeErr = j.writeError("writing", err)
			return j.writeErr
		}
		j.written++
	}
	return j.writeErr
}

// fail makes an error the result of every later call.
func (j *Journal) fail(err error) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.writeErr == nil {
		j.writeErr = j.writeError("writing", err)
	}
	return j.writeErr
}

func (j *Journal) writeError(doing string, err error) error {
	return fmt.Errorf("%s the journal %s: %w; its lines are kept, and --resume continues the run", doing, j.Path(), words.OfFile(err))
}

// Sync returns when all earlier lines are on the disk. Concurrent calls share one sync.
func (j *Journal) Sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for all := j.written; j.synced < all; {
		switch {
		case j.syncErr != nil:
			return j.syncErr
		case j.syncing:
			j.waiting.Wait()
		default:
			j.syncAll()
		}
	}
	return nil
}

// syncAll syncs all lines. It never retries, because after an error the system may have
// dropped the data.
func (j *Journal) syncAll() {
	all := j.written
	j.syncing = true
	j.mu.Unlock()
	err := j.file.sync()
	j.mu.Lock()
	j.syncing = false
	if err == nil {
		j.synced = all
	} else {
		j.syncErr = j.writeError("syncing", err)
		j.writeErr = cmp.Or(j.writeErr, j.syncErr)
	}
	j.waiting.Broadcast()
}

// Commit is Append and Sync.
func (j *Journal) Commit(lines ...Line) error {
	if err := j.Append(lines...); err != nil {
		return err
	}
	return j.Sync()
}

// Out is the folder for kept outputs.
func (j *Journal) Out() (string, error) { return j.folder(outName) }

// Raw is the folder for outputs of running trials. Opening the journal empties it,
// because nothing in it is redacted.
func (j *Journal) Raw() (string, error) { return j.folder(rawName) }

func (j *Journal) folder(name string) (string, error) {
	path := filepath.Join(j.dir, name)
	return path, os.MkdirAll(path, privateDir)
}

// Close syncs and releases the lock.
func (j *Journal) Close() error {
	err := j.Sync()
	j.mu.Lock()
	if j.writeErr == nil {
		j.writeErr = j.writeError("writing", fs.ErrClosed)
	}
	j.mu.Unlock()
	return errors.Join(err, j.file.Close(), j.lock.release())
}
