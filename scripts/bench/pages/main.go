// Command pages measures HTML reports as their reader meets them: the size of
// the file, how long until something is drawn, until the page can be used, until
// a key pressed in its filter shows, and what the tab holds in memory; and of
// ours, how long it takes to be made.
//
//	pages [-runs N] [-ours] [-write FILE] -versions TEXT FOLDER
//
// It exists so that ours and its peers are measured by the same clock in the
// same browser, in turns; scripts/bench/pages/run fills the folder with the program, the
// envelopes and the pages of the peers, and calls it. It knows nothing of any
// report but how a reader finds its filter.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// settings are the flags.
type settings struct {
	runs            int
	ours            bool
	write, versions string
}

func main() {
	var s settings
	flag.IntVar(&s.runs, "runs", 5, "how often each page is made and opened; the table shows medians")
	flag.BoolVar(&s.ours, "ours", false, "without the peers")
	flag.StringVar(&s.write, "write", "", "file for the results beside standard output")
	flag.StringVar(&s.versions, "versions", "a browser", "what the pages are opened in, for the results")
	flag.Parse()
	missed, err := measureAll(s, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(2)
	}
	if missed > 0 {
		fmt.Fprintf(os.Stderr, "pages: %d targets not met\n", missed)
		os.Exit(1)
	}
}

func measureAll(s settings, args []string) (missed int, err error) {
	if len(args) != 1 || s.runs < 1 {
		return 0, errors.New("give one folder with the reports, and at least one run")
	}
	folder, err := filepath.Abs(args[0])
	if err != nil {
		return 0, err
	}
	all := reports(!s.ours)
	if err := prepare(all, folder, s.runs); err != nil {
		return 0, err
	}
	for range s.runs {
		for _, r := range all {
			r.open(folder)
		}
	}
	return tell(s, all)
}

func prepare(all []*report, folder string, runs int) error {
	for range runs {
		for _, r := range all {
			if err := r.make(folder); err != nil {
				return err
			}
		}
	}
	for _, r := range all {
		if err := r.weigh(folder); err != nil {
			return err
		}
	}
	say("%s", heading)
	return nil
}

func tell(s settings, all []*report) (missed int, err error) {
	missed = results(os.Stdout, all, s.versions)
	if s.write == "" {
		return missed, nil
	}
	file, err := os.Create(s.write)
	if err != nil {
		return missed, err
	}
	results(io.Writer(file), all, s.versions)
	return missed, file.Close()
}

// say tells how far the measuring is.
func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
