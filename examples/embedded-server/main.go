// Command embedded-server serves a project from your own program, with an
// additional stage and an additional method.
package main

import (
	"context"
	"log"
	"os"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/pipeline"
	"github.com/mcp-bash/mcp-bash/v2/server"
)

func main() {
	ctx := context.Background()
	srv, err := server.Open(ctx, server.Options{
		ProjectRoot: os.Args[1],
		Environ:     os.Environ(),
		Chain: func(stages []pipeline.Middleware) []pipeline.Middleware {
			return append(stages, timing())
		},
		Methods: map[string]pipeline.Handler{"example/time": pipeline.Method(now)},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer srv.Close()
	if err := srv.Serve(ctx, pipeline.NewNDJSON(os.Stdin, os.Stdout, 64<<20)); err != nil {
		log.Print(err)
	}
}

// now answers example/time.
func now(context.Context, struct{}) (time.Time, error) { return time.Now(), nil }

// timing returns a stage that logs how long each call takes.
func timing() pipeline.Middleware {
	return pipeline.Middleware{
		Name: "timing",
		Inbound: func(ctx context.Context, m *pipeline.Message, next pipeline.Handler) (*pipeline.Message, error) {
			defer func(start time.Time) { log.Printf("%s took %v", m.Method(), time.Since(start)) }(time.Now())
			return next(ctx, m)
		},
	}
}
