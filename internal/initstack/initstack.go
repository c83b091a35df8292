// Package initstack makes the stack large on which packages are initialized. It is imported for that
// effect.
//
// Regular expressions of qri-io/jsonschema are nested so deeply that compiling them takes more than 64 KiB
// of stack. Otherwise the stack would be copied several times meanwhile, with ever more frames to adjust.
// Go initializes packages in the order of their paths, each as soon as those that it imports are: this
// one, which imports nothing, comes before the library, which imports much.
package initstack

// deep is about how much stack the initialization needs; it gets the next power of two.
const deep = 96 << 10

var _ = grow(false)

// grow need not use its frame: whether it fits is checked when the function is called. A function of its
// own in each package that needs one, as in pipeline: the size of a frame is a constant.
//
//go:noinline
func grow(use bool) (b byte) {
	if use {
		var room [deep]byte
		for i := range room {
			room[i] = byte(i)
			b ^= room[i/2]
		}
	}
	return b
}
