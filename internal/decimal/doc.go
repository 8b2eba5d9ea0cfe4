// Package decimal reads the numbers of JSON text, eight digits at a time.
//
// It exists because most of what is left of a trial are numbers of a few digits,
// by the million, and because to go from one digit to the next is to guess where
// they end. What it does not take it leaves to others: it says where a number is
// none, and not why.
//
// It leaves out writing numbers, and what they mean.
package decimal
