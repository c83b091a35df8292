package fswatch

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// checkLocal returns an error for a path on a file system that others may change as well.
func checkLocal(path string) error {
	var system unix.Statfs_t
	if err := unix.Statfs(path, &system); err != nil {
		return &fs.PathError{Op: "watch", Path: path, Err: err}
	}
	if !isLocal(uint32(system.Type)) {
		return &fs.PathError{Op: "watch", Path: path, Err: ErrRemote}
	}
	return nil
}

// isLocal reports whether all changes of a file system are made by this kernel. An unknown one may
// be on another machine, or be served by a program.
func isLocal(kind uint32) bool {
	switch kind {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.RAMFS_MAGIC,
		unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.SQUASHFS_MAGIC, unix.EROFS_SUPER_MAGIC_V1,
		unix.MSDOS_SUPER_MAGIC, unix.EXFAT_SUPER_MAGIC, unix.ISOFS_SUPER_MAGIC, unix.REISERFS_SUPER_MAGIC,
		unix.ECRYPTFS_SUPER_MAGIC, unix.NILFS_SUPER_MAGIC,
		zfs, bcachefs, ntfs3, jfs:
		return true
	}
	return false
}

// Numbers of file systems that the package unix does not define.
const (
	zfs      = 0x2fc12fc1
	bcachefs = 0xca451a4e
	ntfs3    = 0x7366746e
	jfs      = 0x3153464a
)
