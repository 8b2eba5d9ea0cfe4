// Package each makes lists and maps of others, item by item.
package each

// Index is the numbers from 0 to below n, to be put in another order.
func Index(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Of is what a function makes of each item of a list.
func Of[T, R any](items []T, make func(T) R) (all []R) {
	for _, item := range items {
		all = append(all, make(item))
	}
	return all
}

// Where are the items of a list for which is holds.
func Where[T any](items []T, is func(T) bool) (all []T) {
	for _, item := range items {
		if is(item) {
			all = append(all, item)
		}
	}
	return all
}

// Pointers are where the items of a list are, for those that are not to be copied.
func Pointers[T any](items []T) []*T {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all
}

// Set is what a function makes of the items of a list.
func Set[T any, R comparable](items []T, make func(T) R) map[R]bool {
	all := map[R]bool{}
	for _, item := range items {
		all[make(item)] = true
	}
	return all
}

// Count is the number of items for which is holds.
func Count[T any](items []T, is func(T) bool) (n int) {
	for _, item := range items {
		if is(item) {
			n++
		}
	}
	return n
}

// Sum adds up what a function makes of the items of a list.
func Sum[T any, N int | float64](items []T, of func(T) N) (sum N) {
	for _, item := range items {
		sum += of(item)
	}
	return sum
}

// Within reports whether a map has all entries of another.
func Within(part, whole map[string]string) bool {
	for name, value := range part {
		if got, ok := whole[name]; !ok || got != value {
			return false
		}
	}
	return true
}

// Put adds an item to a map that is made when it gets its first one.
func Put[M ~map[K]V, K comparable, V any](all *M, key K, value V) {
	if *all == nil {
		*all = M{}
	}
	(*all)[key] = value
}
