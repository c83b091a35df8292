package pipeline

// deep is about how much of its stack a call needs in the chain and in its handler.
const deep = 12 << 10

// growStack makes the stack of the goroutine large enough for a call, while it is still shallow: it may be
// new, or the collector has shrunk it while it waited. Otherwise it would be copied several times as it
// grows, with ever more frames to adjust. Calling growStack is enough, so use is false: whether the frame of
// a function fits is checked when the function is called.
//
//go:noinline
func growStack(use bool) (b byte) {
	if use {
		var room [deep]byte
		for i := range room {
			room[i] = byte(i)
			b ^= room[i/2]
		}
	}
	return b
}
