package html

import (
	"cmp"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strings"

	"tribunal/envelope"
	"tribunal/internal/regex"
	"tribunal/internal/text"
	"tribunal/internal/words"
)

// attached is a file beside a turn or a trial: a link where it lies below the input's
// folder, and seen where it is an image that the page holds.
type attached struct {
	Name, URL string
	Image     string // what follows data:image/
	Note      string // why there is no image
}

// plainPath is a path that is made a link: a page makes none of what a test thought up to look like something else.
var plainPath = regex.Of(`^[A-Za-z0-9][\w./ -]{0,300}$`)

func (o *opener) attached(all []envelope.Attachment) (files []attached) {
	for i := range all {
		a := &all[i]
		address := words.If(!strings.HasPrefix(a.URL, dataScheme), a.URL) // the content itself is no name
		file := attached{Name: name(a.Name, name(a.Path, name(address, "attachment")))}
		if plainPath().MatchString(a.Path) && a.Path == text.Path(a.Path) {
			file.URL = a.Path
		}
		if o.images != nil {
			held := o.images.held[keyOf(a)]
			file.Image, file.Note = held.image, held.note
		}
		files = append(files, file)
	}
	return files
}

const (
	dataScheme   = "data:"
	mostPicture  = 2 << 20                               // bytes of one
	mostEncoded  = (mostPicture/3 + 1) * 4               // of it as text
	largePicture = "an image of more than 2 MiB"         // is left out
	noPicture    = "not found below the inputs' folders" //
	fullPage     = "an image for which the page is full" //
	unreadable   = "it could not be read"                //
)

type images struct {
	open func(path string) (io.ReadCloser, error)
	held map[string]heldImage
	room int // bytes that are left
}

// heldImage is an image as it stands in an address behind data:image/, or why it is none; neither of what is no image.
type heldImage struct{ image, note string }

func keyOf(a *envelope.Attachment) string { return cmp.Or(a.Path, a.URL) }

// newImages takes the images of tests in the order of the page, as far as there is
// room: of trials before those of their turns. What an attachment says it is counts
// for nothing; its bytes do.
func newImages(l *listing, open func(path string) (io.ReadCloser, error), room int) *images {
	p := &images{open: open, held: map[string]heldImage{}, room: room}
	for place := range l.order {
		t := l.at(place)
		for i := range t.Details {
			p.add(t.Details[i].Attachments)
		}
		for i := range t.Transcripts {
			turns := t.Transcripts[i].Turns(nil) // texts of the run are no attachments
			for j := range turns {
				p.add(turns[j].Attachments)
			}
		}
	}
	return p
}

func (p *images) add(all []envelope.Attachment) {
	for i := range all {
		key := keyOf(&all[i])
		if _, known := p.held[key]; !known {
			p.held[key] = p.take(&all[i])
		}
	}
}

func (p *images) take(a *envelope.Attachment) heldImage {
	data, err := p.bytes(a)
	kind, isImage := strings.CutPrefix(http.DetectContentType(data), "image/")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return heldImage{note: noPicture}
	case err != nil:
		return heldImage{note: unreadable}
	case !isImage || !shown[kind]:
		return heldImage{}
	case len(data) > mostPicture:
		return heldImage{note: largePicture}
	case len(data) > p.room:
		return heldImage{note: fullPage}
	}
	p.room -= len(data)
	return heldImage{image: kind + ";base64," + base64.StdEncoding.EncodeToString(data)}
}

// shown are the kinds of images that are: none that could run a script.
var shown = map[string]bool{"png": true, "jpeg": true, "webp": true, "gif": true}

// bytes are those of an attachment, a few more than the page takes at most; nothing of one that only has an address, which nobody asks.
func (p *images) bytes(a *envelope.Attachment) ([]byte, error) {
	if a.Path != "" {
		return p.read(a.Path)
	}
	media, encoded, found := strings.Cut(strings.TrimPrefix(a.URL, dataScheme), ",")
	if !strings.HasPrefix(a.URL, dataScheme) || !found || !strings.HasSuffix(media, ";base64") {
		return nil, nil
	}
	return base64.StdEncoding.DecodeString(encoded[:min(len(encoded), mostEncoded+4)])
}

func (p *images) read(path string) ([]byte, error) {
	if p.open == nil {
		return nil, fs.ErrNotExist
	}
	file, err := p.open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, mostPicture+1))
}
