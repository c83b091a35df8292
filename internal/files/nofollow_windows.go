package files

// noFollow does not exist there: the look before is all there is.
const noFollow = 0
