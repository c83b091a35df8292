package server

import "sync"

// batches reports whether the client may send arrays of messages now: if its revision has them, and
// in every revision with [Options.Batches]. If the option is needed, that is logged once per
// session.
func (s *session) batches() func() bool {
	var once sync.Once
	return func() bool {
		revision := s.agreed.Revision()
		if revision.Batches || !s.server.options.Batches {
			return revision.Batches
		}
		once.Do(func() {
			s.server.log.Warn("the client sends arrays of messages, which its protocol revision does not have; they are "+
				"accepted for compatibility (MCPBASH_COMPAT_BATCHES)", "revision", revision.Version)
		})
		return true
	}
}
