package verdict

// spanTests is how many tests are judged at a stretch, several stretches at a
// time.
const spanTests = 64
