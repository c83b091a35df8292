package hooks

// checkOwner accepts all: Windows has no mode bits that tell who may write.
func checkOwner(string) error { return nil }
