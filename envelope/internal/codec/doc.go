// Package codec writes the texts of the JSON of an envelope.
//
// It exists because a report is printed in the logs of jobs and opened in
// terminals and editors, which obey some of what stands in it: encoding/json
// does not escape that.
package codec
