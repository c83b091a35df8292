package files

import "os"

func stampOf(path string) (Stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Stamp{}, err
	}
	at := info.ModTime().UnixNano()
	return Stamp{Size: info.Size(), Modified: at, Changed: at, Mode: info.Mode()}, nil
}
