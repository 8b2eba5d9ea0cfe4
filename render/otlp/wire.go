package otlp

import (
	"math"
	"strconv"
)

// The messages of opentelemetry-proto as far as we write them, in the names of their
// JSON. Ids are hexadecimal, integers of 64 bits are strings.

type request struct {
	Spans   []resourceSpans   `json:"resourceSpans,omitempty"`
	Metrics []resourceMetrics `json:"resourceMetrics,omitempty"`
}

type resource struct {
	Attributes []attribute `json:"attributes"`
}

type scope struct {
	Name string `json:"name"`
}

var ours = scope{"tribunal"}

type resourceSpans struct {
	Resource resource     `json:"resource"`
	Scopes   []scopeSpans `json:"scopeSpans"`
}

type scopeSpans struct {
	Scope scope  `json:"scope"`
	Spans []span `json:"spans"`
}

type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      instant     `json:"startTimeUnixNano,omitempty,string"`
	End        instant     `json:"endTimeUnixNano,omitempty,string"`
	Attributes []attribute `json:"attributes,omitempty"`
	Events     []event     `json:"events,omitempty"`
	LeftOut    int         `json:"droppedEventsCount,omitempty"`
	Links      []link      `json:"links,omitempty"`
	Status     *status     `json:"status,omitempty"`
}

// Numbers of the protocol.
const (
	internal    = 1 // SPAN_KIND_INTERNAL
	statusError = 2 // STATUS_CODE_ERROR
)

type event struct {
	Time       instant     `json:"timeUnixNano,omitempty,string"`
	Name       string      `json:"name"`
	Attributes []attribute `json:"attributes,omitempty"`
}

type link struct {
	TraceID string `json:"traceId"`
	SpanID  string `json:"spanId"`
}

type status struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code"`
}

type resourceMetrics struct {
	Resource resource       `json:"resource"`
	Scopes   []scopeMetrics `json:"scopeMetrics"`
}

type scopeMetrics struct {
	Scope   scope    `json:"scope"`
	Metrics []metric `json:"metrics"`
}

type metric struct {
	Name  string `json:"name"`
	Doc   string `json:"description,omitempty"`
	Unit  string `json:"unit,omitempty"`
	Gauge gauge  `json:"gauge"`
}

type gauge struct {
	Points []point `json:"dataPoints"`
}

type point struct {
	Attributes []attribute `json:"attributes,omitempty"`
	Time       instant     `json:"timeUnixNano,omitempty,string"`
	Value      float64     `json:"asDouble"`
}

// instant is nanoseconds since 1970; 0 is unknown, as in the protocol.
type instant int64

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value is an AnyValue: one of its members is there.
type value struct {
	String *string  `json:"stringValue,omitempty"`
	Bool   *bool    `json:"boolValue,omitempty"`
	Int    *string  `json:"intValue,omitempty"`
	Double *float64 `json:"doubleValue,omitempty"`
}

// attributes is a list that leaves out what is unknown.
type attributes []attribute

func (a *attributes) text(key, s string) {
	if s != "" {
		*a = append(*a, attribute{key, value{String: &s}})
	}
}

func (a *attributes) integer(key string, n int64) {
	s := strconv.FormatInt(n, 10)
	*a = append(*a, attribute{key, value{Int: &s}})
}

// number adds a number that is one: the JSON of the protocol has words for others,
// and dashboards have none.
func (a *attributes) number(key string, f float64) {
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		*a = append(*a, attribute{key, value{Double: &f}})
	}
}

// flag adds what is true.
func (a *attributes) flag(key string, is bool) {
	if is {
		*a = append(*a, attribute{key, value{Bool: &is}})
	}
}
