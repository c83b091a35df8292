package cage

import "golang.org/x/sys/unix"

// native lists the allowed system calls that only this kind of processor has.
var native = []uint32{
	unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_ACCESS, unix.SYS_READLINK,
	unix.SYS_GETDENTS, unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_MKNOD, unix.SYS_LINK, unix.SYS_SYMLINK,
	unix.SYS_UNLINK, unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_DUP2, unix.SYS_PIPE, unix.SYS_POLL,
	unix.SYS_SELECT, unix.SYS_EPOLL_CREATE, unix.SYS_EPOLL_WAIT, unix.SYS_EVENTFD, unix.SYS_SIGNALFD,
	unix.SYS_INOTIFY_INIT, unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_PAUSE, unix.SYS_ALARM, unix.SYS_TIME,
	unix.SYS_GETPGRP, unix.SYS_GETRLIMIT, unix.SYS_SETRLIMIT, unix.SYS_ARCH_PRCTL,
}

// nativeAttributes are attributes that only this kind of processor has.
var nativeAttributes = []verdict{
	{unix.SYS_CHMOD, ignored}, {unix.SYS_UTIME, ignored}, {unix.SYS_UTIMES, ignored}, {unix.SYS_FUTIMESAT, ignored},
	{unix.SYS_CHOWN, ignored}, {unix.SYS_LCHOWN, ignored},
}
