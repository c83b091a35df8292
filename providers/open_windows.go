package providers

// nonblock is 0: Windows keeps pipes out of the file system.
const nonblock = 0
