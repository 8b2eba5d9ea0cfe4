package allure

import "tribunal/read/internal/jsonwalk"

// document is a result, or a test case of a generated report, which has the same in
// other places.
type document struct {
	jsonwalk.Value
	generated bool
}

// clock has start and stop.
func (d document) clock() jsonwalk.Value {
	if d.generated {
		return d.Get("time")
	}
	return d.Value
}

func (d document) message() string {
	if d.generated {
		return d.Get("statusMessage").String()
	}
	return d.Get("statusDetails", "message").String()
}

func (d document) trace() string {
	if d.generated {
		return d.Get("statusTrace").String()
	}
	return d.Get("statusDetails", "trace").String()
}

func (d document) attachments() jsonwalk.Value {
	if d.generated {
		return d.Get("testStage", "attachments")
	}
	return d.Get("attachments")
}
