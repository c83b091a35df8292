package process

// SetUmask does nothing on Windows, where new files get the permissions of their folder.
func SetUmask(mask int) {}
