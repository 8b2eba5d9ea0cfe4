package command

import (
	"io"
	"sync"

	"tribunal/envelope"
	"tribunal/verdict"
)

// hiding is standard error without secrets: whatever is said there, be it an
// error, a progress line or what -v tells, may quote an argument, a path or an
// input, and stands in the log of a job. What --no-redact leaves in reports is
// hidden here all the same.
type hiding struct {
	mu     sync.Mutex
	to     io.Writer
	policy envelope.Policy
}

// use hides what a policy asks for beside the known credentials from here on.
func (h *hiding) use(p envelope.Policy) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.policy = envelope.Policy{RedactPatterns: p.RedactPatterns, RedactFields: p.RedactFields}
}

// Write is given one message at a time.
func (h *hiding) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	shown, err := verdict.Hide(string(p), h.policy)
	if err != nil { // the error names what of the policy cannot be used
		shown, err = verdict.Hide(string(p), envelope.Policy{})
	}
	if err != nil {
		return 0, err
	}
	if _, err := io.WriteString(h.to, shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

// hideOnStderr adds what a policy wants hidden.
func hideOnStderr(env Env, p envelope.Policy) {
	if h, ok := env.Stderr.(*hiding); ok {
		h.use(p)
	}
}
