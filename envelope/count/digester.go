package count

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"

	"tribunal/envelope"
	"tribunal/envelope/internal/arguments"
	"tribunal/internal/redact"
)

// digester takes secrets out of what digests are made of, and makes those of the
// arguments of calls. It must not be used by two goroutines at once.
type digester struct {
	*redact.Redactor
	known *digests
}

func newDigester(r *redact.Redactor) *digester { return &digester{r, &digests{}} }

// another is a digester for another goroutine.
func (d *digester) another() *digester { return &digester{d.Another(), d.known} }

// step is the step that a call is, its name in the memory of the call.
func (d *digester) step(c *envelope.ToolCall) envelope.Step {
	digest, known := d.known.of(c.Arguments)
	if !known {
		digest = d.digest(c.Arguments)
		d.known.add(c.Arguments, digest)
	}
	return envelope.Step{Name: repaired(c.Name), Digest: digest}
}

// digest is made of what is left of arguments without their secrets, as that of a row
// is.
func (d *digester) digest(args string) string {
	hide := func(text string) string { return redact.Anonymous(d.Text(text)) }
	label := func(key, value string) string { return redact.Anonymous(d.Label(key, value)) }
	sum := sha256.Sum256(arguments.Canonical(nil, args, hide, label))
	return hex.EncodeToString(sum[:8])
}

// digests are those of arguments that were met before: trials of a test mostly call
// alike.
type digests struct {
	mu   sync.RWMutex
	by   map[string]string
	size int
}

// mostDigested is how many bytes of arguments are remembered.
const mostDigested = 4 << 20

func (d *digests) of(args string) (digest string, known bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	digest, known = d.by[args]
	return digest, known
}

func (d *digests) add(args, digest string) {
	if len(args) > mostDigested/16 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.size += len(args) + len(digest); d.by == nil || d.size > mostDigested {
		d.by, d.size = map[string]string{}, len(args)+len(digest)
	}
	d.by[strings.Clone(args)] = digest
}
