package tau2

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/words"
	"tribunal/read/internal/jsonwalk"
)

// codeNoFile marks simulations of an index whose files are missing or broken.
const codeNoFile = "missing-simulation"

// part reads the file of a simulation, whose domain and model stand in the
// results.json above it.
func (rd *reader) part(r io.Reader) error {
	rd.alone = true
	rd.learn()
	return jsonwalk.Document(r, rd.to, func(t *jsonwalk.Text) error {
		v, err := t.Value()
		if err == nil {
			v.Deliver(rd.simulation)
		}
		return err
	})
}

// errLearned ends the reading of a results.json of which only info is wanted.
var errLearned = errors.New("info was read")

// learn takes info from the results.json of a simulation. What is wrong with that
// file is told where it is read itself.
func (rd *reader) learn() {
	if rd.folder.Results == nil {
		return
	}
	file, err := rd.folder.Results()
	if err != nil {
		return // the simulation says that its domain is unknown
	}
	defer file.Close()
	_ = jsonwalk.Document(file, jsonwalk.Silent{}, func(t *jsonwalk.Text) error {
		return t.Object(func(key string) error {
			if key != "info" {
				return nil
			}
			v, err := t.Value()
			if err == nil && v.Present() {
				rd.info(v)
			}
			return errors.Join(err, errLearned)
		})
	})
}

// why says why domain and model of a simulation are unknown.
func (rd *reader) why() string {
	if rd.alone {
		return "this simulation says neither domain nor model, and there is no readable " + Whole + " that does: keep it in its folder, and name the folder"
	}
	return "simulations stand before info: domain and model are unknown"
}

// hasFile reports whether a simulation of results.json was counted from its file.
func (rd *reader) hasFile(v jsonwalk.Value) bool {
	id := v.Get("id").Text()
	if rd.folder.Counted == nil || id == "" {
		return false
	}
	name := Parts + "/" + id + ".json"
	if rd.folder.Counted(name) {
		rd.filed++
		return true
	}
	if rd.source == index {
		rd.unfiled = append(rd.unfiled, name)
	}
	return false
}

// tellFiles says what became of simulations that have files of their own. That
// those of an index have is no news.
func (rd *reader) tellFiles() {
	if rd.known && rd.source == "" {
		rd.tellNone()
	}
	if rd.filed > 0 && rd.source != index {
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityInfo, Code: envelope.CodeDuplicate, Line: 1, Column: 1, Count: rd.filed,
			Message: fmt.Sprintf("counted once, from files below %s/: %s of this file", Parts, simulations(rd.filed))})
	}
	if n := len(rd.unfiled); n > 0 {
		const named = 5
		names := strings.Join(rd.unfiled[:min(n, named)], ", ")
		if n > named {
			names += fmt.Sprintf(" and %d more", n-named)
		}
		rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: codeNoFile, Line: 1, Column: 1, Count: n,
			Message: fmt.Sprintf("the index names %s of which no file with a trial was read (%s): counted by what the index says, without tokens and reasons; look for the files, or run these again", simulations(n), names)})
	}
}

// tellNone says where the simulations of a file without any are to be looked for,
// unless their own files were read.
func (rd *reader) tellNone() {
	where := "; if they are in files below " + Parts + "/, name the folder of both"
	if rd.folder.Counted != nil {
		if rd.folder.Any() {
			return
		}
		where = ", and no file below " + Parts + "/ was read: put that folder next to it, or run these tasks again"
	}
	rd.to.Problem(envelope.Problem{Severity: envelope.SeverityWarning, Code: codeNoFile, Line: 1, Column: 1,
		Message: "this file has the settings of a run, but no simulation" + where})
}

func simulations(n int) string { return words.Plural(n, "simulation", "simulations") }
