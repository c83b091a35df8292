package main

// A row is one thing that is measured on several subjects, in turns.
type row struct {
	name string
	// quantile is what the table shows of each series, 0.5 for the median.
	quantile float64
	unit     unit
	// more says that a larger value is the better one.
	more bool
	// base names the subject that the others are compared with.
	base string
	// goal is how many times the base ours may take, 0 for none. Where more is
	// better it is the least share of the base that ours must reach.
	goal float64
	// order and results are the subjects and what they took.
	order   []string
	results map[string]*series
}

func (r *row) series(subject string) *series {
	if r.results == nil {
		r.results = map[string]*series{}
	}
	if r.results[subject] == nil {
		r.results[subject] = new(series)
		r.order = append(r.order, subject)
	}
	return r.results[subject]
}

func (r *row) value(subject string) float64 {
	s := r.results[subject]
	if s == nil {
		return 0
	}
	return s.at(r.quantile)
}

// ratio returns how many times the base's value the subject's is.
func (r *row) ratio(subject string) float64 {
	base := r.value(r.base)
	if base == 0 {
		return 0
	}
	return r.value(subject) / base
}

// met reports whether ours keeps to its goal.
func (r *row) met() bool {
	if r.more {
		return r.ratio(ours) >= r.goal
	}
	return r.ratio(ours) <= r.goal
}
