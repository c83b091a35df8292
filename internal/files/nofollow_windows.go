package files

// noFollow is 0: Windows has no such flag, so only the check before opening applies.
const noFollow = 0

// nonBlock is 0: on Windows no name in a folder is a pipe.
const nonBlock = 0
