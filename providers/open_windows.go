package providers

// nonblock is nothing here: Windows keeps pipes out of the file system.
const nonblock = 0
