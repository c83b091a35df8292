package main

// A row is a quantity that is measured on several subjects, alternating.
type row struct {
	name string
	// quantile is the quantile of each series that the table shows, 0.5 for the median.
	quantile float64
	unit     unit
	// more is true if larger values are better.
	more bool
	// base names the subject that the others are compared with.
	base string
	// goal is the maximum ratio of ours to the base, 0 for none. If more is set it
	// is the minimum ratio.
	goal float64
	// most is the maximum of ours in the row's unit, 0 for none. If more is set it is the minimum.
	most float64
	// order and results are the subjects and their results.
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

// ratio returns the ratio of the subject's value to the base's.
func (r *row) ratio(subject string) float64 {
	base := r.value(r.base)
	if base == 0 {
		return 0
	}
	return r.value(subject) / base
}

// met reports whether ours meets its goal.
func (r *row) met() bool {
	got, goal := r.ratio(ours), r.goal
	if r.most != 0 {
		got, goal = r.value(ours), r.most
	}
	if r.more {
		return got >= goal
	}
	return got <= goal
}
