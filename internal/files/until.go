package files

import (
	"context"
	"io"
)

// Until returns a reader of r that fails with the error of ctx when that has ended, for long copies.
func Until(ctx context.Context, r io.Reader) io.Reader { return until{ctx, r} }

type until struct {
	ctx context.Context
	io.Reader
}

func (u until) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(b)
}
