// Package each makes a list of another, item by item.
package each

// Of is what a function makes of each item of a list.
func Of[T, R any](items []T, make func(T) R) (all []R) {
	for _, item := range items {
		all = append(all, make(item))
	}
	return all
}
