package html

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"tribunal/envelope"
)

// gif is the least image of its kind: a header and an empty screen of one by one.
const gif = "GIF89a\x01\x00\x01\x00\x00\x00\x00,"

// filled is an image of so many bytes.
func filled(n int) string { return gif + strings.Repeat("\x00", n-len(gif)) }

// TestImagesOfAttachments: what a page shows is what the bytes are, whatever name and
// type they come under, as long as there is room.
func TestImagesOfAttachments(t *testing.T) {
	files := map[string]string{"a.gif": gif, "text.gif": "GIF of a cat", "a.svg": "<svg onload=alert(1)>", "limit.gif": filled(mostPicture), "large.gif": filled(mostPicture + 1), "late.gif": filled(1 << 20)}
	open := func(path string) (io.ReadCloser, error) {
		text, known := files[path]
		switch {
		case path == "locked":
			return nil, errors.New("permission denied")
		case !known:
			return nil, fs.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(gif))
	all := []struct {
		reason      string
		file        envelope.Attachment
		image, note string
		link        string
	}{
		{"an image, whatever its type says", envelope.Attachment{Path: "a.gif", MediaType: "text/html"}, "gif;base64," + encoded, "", "a.gif"},
		{"the same again", envelope.Attachment{Path: "a.gif"}, "gif;base64," + encoded, "", "a.gif"},
		{"no image, whatever it is called", envelope.Attachment{Path: "text.gif", MediaType: "image/gif"}, "", "", "text.gif"},
		{"an image that may run a script", envelope.Attachment{Path: "a.svg", MediaType: "image/svg+xml"}, "", "", "a.svg"},
		{"as large as may be", envelope.Attachment{Path: "limit.gif"}, "gif;base64," + base64.StdEncoding.EncodeToString([]byte(filled(mostPicture))), "", "limit.gif"},
		{"a byte more", envelope.Attachment{Path: "large.gif"}, "", largePicture, "large.gif"},
		{"the page is full", envelope.Attachment{Path: "late.gif"}, "", fullPage, "late.gif"},
		{"missing", envelope.Attachment{Path: "none.gif"}, "", noPicture, "none.gif"},
		{"not to be read", envelope.Attachment{Path: "locked"}, "", unreadable, "locked"},
		{"no link leads up", envelope.Attachment{Path: "x/../../a.gif"}, "", noPicture, ""},
		{"all there", envelope.Attachment{URL: "data:text/html;base64," + encoded}, "gif;base64," + encoded, "", ""},
		{"all there and broken", envelope.Attachment{URL: "data:image/gif;base64,%%%"}, "", unreadable, ""},
		{"elsewhere is asked nobody", envelope.Attachment{URL: "https://a.example/a.gif"}, "", "", ""},
		{"a script is a name", envelope.Attachment{URL: "javascript:alert(1)"}, "", "", ""},
	}
	test := envelope.Test{Key: envelope.Key{Test: "a"}, Rows: new(envelope.Rows), Details: []envelope.Detail{{}}}
	for _, c := range all {
		test.Details[0].Attachments = append(test.Details[0].Attachments, c.file)
	}
	o := bareOpener()
	list := newListing([]envelope.Test{test}, 1, o)
	for i, file := range o.attached(test.Details[0].Attachments) {
		if file.Image != "" || file.Note != "" || file.URL != all[i].link {
			t.Errorf("%s, not asked for: %+v", all[i].reason, file)
		}
	}
	o.images = newImages(list, open, len(gif)+mostPicture+len(gif)+100)
	for i, file := range o.attached(test.Details[0].Attachments) {
		if c := all[i]; file.Image != c.image || file.Note != c.note || file.URL != c.link {
			t.Errorf("%s: %.40q %q %q, want %.40q %q %q", c.reason, file.Image, file.Note, file.URL, c.image, c.note, c.link)
		}
	}
	if data, err := o.images.read("large.gif"); err != nil || !bytes.HasPrefix([]byte(filled(mostPicture+1)), data) {
		t.Error("more is read than the page takes")
	}
}
