//go:build arm64 || riscv64 || loong64

package cage

// native lists the allowed system calls that not all kinds of processors have. These share one list of numbers.
var native = []uint32{
	38, 163, 164, // renameat, getrlimit and setrlimit, which newer kinds of processors lack
	258, 259, // riscv_hwprobe and riscv_flush_icache
}

var nativeAttributes []verdict
