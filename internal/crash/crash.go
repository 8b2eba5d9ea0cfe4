// Package crash says what a program was reading when it panicked, and where the mistake
// is to be reported, in place of the stacks of all goroutines.
//
// A panic ends the program from whichever goroutine it happens in, so each defers Exit.
// Nothing changes for a program that has not called OnPanic, as one that uses our packages.
package crash

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

var (
	mu      sync.Mutex
	reading = map[string]string{} // the format by the name of the input
	end     func(message string)
)

// OnPanic sets what ends the program, before any goroutine is started.
func OnPanic(then func(message string)) { end = then }

// Reading says what is read, and by which format, "" while that is not known, until done
// is called. A panic must not call it: it is not to be deferred.
func Reading(name, format string) (done func()) {
	mu.Lock()
	defer mu.Unlock()
	reading[name] = format
	return func() {
		mu.Lock()
		defer mu.Unlock()
		delete(reading, name)
	}
}

// Exit ends the program if its goroutine panics. It is deferred.
func Exit() { caught(recover(), end) }

// Catch is Exit for a server, which reports the message and serves on. Goroutines that panic together report it twice.
func Catch(then func(message string)) {
	caught(recover(), func(message string) {
		mu.Lock()
		clear(reading)
		mu.Unlock()
		then(message)
	})
}

func caught(what any, then func(message string)) {
	if what != nil && end == nil {
		panic(what)
	} else if what != nil {
		then(message(what))
	}
}

// message is two lines about a panic, from where it is recovered.
func message(what any) string {
	mu.Lock()
	defer mu.Unlock()
	doing := ""
	for _, name := range slices.Sorted(maps.Keys(reading)) {
		doing += "reading " + name + " as " + reading[name] + ": "
	}
	return fmt.Sprintf("tribunal: %sthis is a bug in Tribunal: %v%s\ntribunal: please report it where you got tribunal, with your "+
		"command, its input and what `tribunal version` says",
		strings.ReplaceAll(doing, " as : ", ": "), what, culprit())
}

// culprit is the line of ours that panicked: the first below the panic in the module
// of this package.
func culprit() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	module := ""
	for panicking := false; ; {
		frame, more := frames.Next()
		if module == "" {
			module, _, _ = strings.Cut(frame.Function, "internal/crash.")
		}
		if panicking && strings.HasPrefix(frame.Function, module) {
			file := filepath.ToSlash(frame.File)
			return fmt.Sprintf(" (%s/%s:%d)", path.Base(path.Dir(file)), path.Base(file), frame.Line)
		}
		panicking = panicking || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}
