package handlers

import (
	"context"
	"encoding/json"
)

// News is a message between replicas; one of its fields is set.
type news struct {
	Task string `json:"task,omitzero"` // a task that has changed
	Run  string `json:"run,omitzero"`  // a run that continues on another replica
}

// Member returns the functions by which the other replicas of a cluster reach this one. It starts
// its goroutines with spawn.
func (r *Rounds) Member(spawn func(func())) Member {
	return Member{
		Answer: func(_ context.Context, question []byte) []byte { return r.Tasks.executeOrder(question) },
		Hear: func(text []byte) {
			var n news
			if json.Unmarshal(text, &n) != nil {
				return // sent by another version
			}
			if n.Run != "" {
				r.Keeper.Drop(n.Run)
			}
			if n.Task != "" {
				spawn(func() { r.Tasks.changedElsewhere(r.Context, n.Task) })
			}
		},
	}
}

// moved makes the replica that keeps a run end it: the run starts anew on this replica.
func (r *Rounds) moved(run string) {
	if run == "" {
		return
	}
	text, _ := json.Marshal(news{Run: run})
	if err := r.Cluster.Tell(text); err != nil {
		r.Log.Debug("other replicas not notified that a run continues here", "error", err)
	}
}
