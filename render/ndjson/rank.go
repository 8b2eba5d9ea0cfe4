package ndjson

import (
	"errors"
	"io"

	"tribunal/compare/rank"
)

// WriteRanking writes a ranking as indented JSON (tribunal/ranking/v1).
func WriteRanking(w io.Writer, r *rank.Ranking) error {
	if r == nil {
		return errors.New("json: no ranking to write")
	}
	return WriteDocument(w, r)
}
