package watch

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/cli/status"
)

// listening returns the folders of all sockets with the name of ours.
func listening() (folders []string) {
	list, err := os.Open("/proc/net/unix")
	if err != nil {
		return nil
	}
	defer list.Close()
	for lines := bufio.NewScanner(list); lines.Scan(); {
		at := strings.IndexByte(lines.Text(), '/')
		if at < 0 {
			continue
		}
		if folder, name := filepath.Split(lines.Text()[at:]); name == status.Socket {
			folders = append(folders, filepath.Clean(folder))
		}
	}
	return folders
}
