// Package xmlwalk goes through XML reports of any size, an element at a time.
//
// It exists because encoding/xml takes seven times as long (see the benchmarks)
// and gives up at the first character that XML forbids, of which outputs of tests are full. What is here
// is strict where it matters (tags must match, a document must end) and repairs
// what can be repaired: forbidden characters, written out or as references,
// become U+FFFD and are counted; texts are cut to a limit and counted. Memory is
// bounded by one tag and one text. Charsets are decoded, XML 1.1 is read as 1.0,
// entities of the document's own are never expanded.
//
//	Read          walks over the root elements of a document
//	Children      the elements inside of one
//	Content       the same with the text between them
//	Object        an element as JSON, by a Shape
//	Root          the name of the root element, for Sniff
//
// It knows no format: which elements there are and what they mean is the
// business of the readers.
package xmlwalk

// Limits of one piece of a document, so that memory is bounded whatever comes.
const (
	textLimit  = 1 << 20 // bytes of one text; what follows is dropped
	tagLimit   = 1 << 20 // bytes of one tag, declaration or instruction; a longer one ends the reading
	depthLimit = 1000    // elements inside of each other
	blockSize  = 64 << 10
)

const (
	tooLong = "a tag is longer than 1 MiB"
	tooDeep = "elements are nested more than 1000 deep"
)

// codeRepaired is the code of the problem that tells what was replaced or cut.
const codeRepaired = "repaired-text"
