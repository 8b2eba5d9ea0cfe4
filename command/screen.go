package command

import (
	"fmt"
	"io"
	"strings"

	"tribunal/render/pretty"
)

// screen is what is drawn at the end of a terminal and drawn over again. Whoever
// resizes the window wraps what stands there, so that the way back is counted in
// the columns of now, never in those in which it was drawn.
type screen struct {
	w       io.Writer
	columns func() int // of the terminal, now
	cuts    bool       // it cuts lines that a smaller window has no room for, and wraps none
	drawn   []string   // the lines that stand there; the cursor is behind the last
}

// newScreen draws on standard error.
func newScreen(env Env) screen {
	return screen{w: env.Stderr, cuts: cutsLines(env), columns: func() int { columns, _ := env.StderrSize(); return columns }}
}

// cutsLines reports whether lines are cut where a window shrinks. Terminals of today
// wrap them; xterm and GNU screen do not, and going back by too much would take what
// was said before the drawing.
func cutsLines(env Env) bool {
	return env.Getenv("TMUX") == "" && (env.Getenv("STY") != "" || env.Getenv("XTERM_VERSION") != "")
}

// over goes back to where the drawing begins, and clears from there.
func (s *screen) over() string {
	if len(s.drawn) == 0 {
		return ""
	}
	up, columns := -1, s.columns()
	for _, line := range s.drawn {
		if s.cuts {
			up++
		} else {
			up += pretty.Rows(line, columns)
		}
	}
	s.drawn = nil
	if up == 0 {
		return "\r\x1b[J"
	}
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", up)
}

// draw draws lines in the place of those that stand there.
func (s *screen) draw(lines ...string) {
	fmt.Fprint(s.w, s.over(), strings.Join(lines, "\n"))
	s.drawn = lines
}

// above writes in the place of the drawing, which is gone until it is drawn again.
func (s *screen) above(format string, args ...any) {
	fmt.Fprint(s.w, s.over(), fmt.Sprintf(format, args...))
}

// erase takes the drawing away.
func (s *screen) erase() {
	if len(s.drawn) > 0 {
		fmt.Fprint(s.w, s.over())
	}
}
