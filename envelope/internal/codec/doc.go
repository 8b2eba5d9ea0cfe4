// Package codec writes and reads JSON by tables of keys.
//
// It exists because encoding/json finds out anew for every value what its type
// says, reads every byte twice, and escapes what is of no harm in a log but not
// what build servers, terminals and editors obey there. It knows texts, numbers,
// lists and objects.
//
// It leaves out the types of an envelope: the columns of a test have their tables
// in package envelope, beside the methods for encoding/json, and all else in
// package wire. It decides nothing that is unusual: a Parser says that it is odd,
// and its caller asks encoding/json.
package codec
