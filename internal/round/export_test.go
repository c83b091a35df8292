package round

// Len is how many uses are remembered.
func (u *Used) Len() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.until)
}
