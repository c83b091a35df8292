package files

// noFollow does not exist there: the look before is all there is.
const noFollow = 0

// nonBlock is not needed there: no name in a folder is a pipe.
const nonBlock = 0
