package main

import (
	"fmt"
	"slices"
	"time"
)

// A series holds the measured values of one subject for a row, one for each round.
type series []float64

func (s *series) add(d time.Duration) { *s = append(*s, float64(d)) }

// at returns a quantile: 0.1 for p10, 0.5 for the median.
func (s series) at(q float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// A unit writes a value for people.
type unit func(float64) string

func asTime(v float64) string {
	switch d := time.Duration(v); {
	case d < 100*time.Microsecond:
		return fmt.Sprintf("%.1f µs", v/1e3)
	case d < time.Millisecond:
		return fmt.Sprintf("%.0f µs", v/1e3)
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.2f ms", v/1e6)
	case d < 10*time.Second:
		return fmt.Sprintf("%.0f ms", v/1e6)
	}
	return fmt.Sprintf("%.1f s", v/1e9)
}

func asRate(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.2f M/s", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%.0f,000/s", v/1e3)
	}
	return fmt.Sprintf("%.0f/s", v)
}

func asMiB(v float64) string { return fmt.Sprintf("%.1f MiB", v) }

func asPerSecond(v float64) string { return fmt.Sprintf("%.2f ms/s", v) }

func asCount(v float64) string { return fmt.Sprintf("%.1f/s", v) }
