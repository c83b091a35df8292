package handlers

import (
	"context"
	"encoding/json"
)

// News are what replicas tell each other; one of the two.
type news struct {
	Task string `json:"task,omitzero"` // has changed
	Run  string `json:"run,omitzero"`  // goes on on another replica
}

// Member returns how the other replicas of a cluster reach what this one runs. What it does for
// them it starts with goes.
func (r *Rounds) Member(goes func(func())) Member {
	return Member{
		Answer: func(_ context.Context, question []byte) []byte { return r.Tasks.carryOut(question) },
		Hear: func(told []byte) {
			var n news
			if json.Unmarshal(told, &n) != nil {
				return // of another version
			}
			if n.Run != "" {
				r.Keeper.Drop(n.Run)
			}
			if n.Task != "" {
				goes(func() { r.Tasks.changedElsewhere(r.Context, n.Task) })
			}
		},
	}
}

// moved has the replica that keeps a run end it: it starts anew on this one.
func (r *Rounds) moved(run string) {
	if run == "" {
		return
	}
	told, _ := json.Marshal(news{Run: run})
	if err := r.Cluster.Tell(told); err != nil {
		r.Log.Debug("the other replicas do not hear that a run goes on here", "error", err)
	}
}
