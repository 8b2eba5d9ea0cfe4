package ansi

// extended reads what follows 38 or 48: 5 and one of 256 colours, or 2 and the
// parts of a colour, perhaps behind the number of a colour space as ISO 8613-6
// has it. It returns the nearest of the sixteen, 0 for none, and how many
// parameters it took.
func extended(fields []string) (c colour, took int) {
	if len(fields) == 0 {
		return 0, 0
	}
	switch parameter(fields[0]) {
	case 5:
		if len(fields) < 2 {
			return 0, len(fields)
		}
		return indexed(parameter(fields[1])), 2
	case 2:
		if len(fields) < 4 {
			return 0, len(fields)
		}
		parts := fields[1:4]
		if len(fields) == 5 && fields[1] == "" {
			parts = fields[2:5]
		}
		return nearest(parameter(parts[0]), parameter(parts[1]), parameter(parts[2])), 4
	}
	return 0, 1
}

// indexed is a colour of xterm's 256: sixteen named ones, a cube of 6 x 6 x 6,
// and 24 greys.
func indexed(n int) colour {
	switch {
	case n < 0 || n > 255:
		return 0
	case n < 16:
		return colour(n + 1)
	case n < 232:
		n -= 16
		return nearest(cube[n/36], cube[n/6%6], cube[n%6])
	}
	grey := 8 + 10*(n-232)
	return nearest(grey, grey, grey)
}

// cube are the levels of xterm's colour cube.
var cube = [6]int{0, 95, 135, 175, 215, 255}

// nearest is the named colour of the same hue: grey where the parts hardly
// differ, otherwise red, green, blue or the mixture of the two or three parts
// that are above the middle of the range they cover, bright or dark by the
// largest.
func nearest(r, g, b int) colour {
	if min(r, g, b) < 0 || max(r, g, b) > 255 {
		return 0
	}
	low, high := min(r, g, b), max(r, g, b)
	if high-low < 32 {
		return grey((r + g + b) / 3)
	}
	middle := (low + high + 1) / 2
	hue := 0
	for bit, part := range [3]int{r, g, b} {
		if part >= middle {
			hue |= 1 << bit
		}
	}
	if high > 192 {
		hue += 8
	}
	return colour(hue + 1)
}

// grey is black, dark grey, light grey or white.
func grey(level int) colour {
	switch {
	case level < 64:
		return 1
	case level < 150:
		return 9
	case level < 224:
		return white
	}
	return 16
}
