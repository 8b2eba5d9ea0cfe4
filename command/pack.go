package command

import (
	"compress/gzip"
	"errors"
	"io"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// packed writes a file as its name says: whoever asks for run.json.gz unpacks it.
// The same content gives the same bytes.
func packed(path string, w io.Writer, write func(io.Writer) error) error {
	var packer io.WriteCloser
	switch filepath.Ext(path) {
	case ".gz":
		packer = gzip.NewWriter(w)
	case ".zst":
		var err error
		if packer, err = zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)); err != nil {
			return err
		}
	default:
		return write(w)
	}
	return errors.Join(write(packer), packer.Close())
}
