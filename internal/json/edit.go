package json

import (
	"bytes"
	"slices"
)

// Edit returns an object with other values, and everything else as it was written. A nil value removes the member. It
// returns text itself if that is not an object or nothing changes.
func Edit(text []byte, edit func(Member) Value) []byte {
	var out []byte
	done, end := 0, 0 // what of text is in out or left out; where the last member that stays ends
	for m, err := range Members(text, '{', Lenient) {
		if err != nil {
			return text
		}
		now := edit(m)
		switch first := end == 0; {
		case now == nil && first && done == 0:
			out = append(out, text[:m.At]...)
		case now == nil && done < end:
			out = append(out, text[done:end]...)
		case first && done > 0:
			done = m.At // without the comma before it
		}
		if now == nil {
			done = m.End()
			continue
		}
		if end = m.End(); !bytes.Equal(now, m.Value) {
			out = append(append(out, text[done:m.Start]...), now...)
			done = end
		}
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}

// Set returns an object with a member set to a value: the last one of its name in its place, or at the end if it is
// new. Everything else stays as it was written. It reports false if text is not an object.
func Set(text []byte, name string, value Value) ([]byte, bool) {
	var old Member
	for m, err := range Members(text, '{', Lenient) {
		if err != nil {
			return nil, false
		}
		if m.Name == name {
			old = m
		}
	}
	if old.Value != nil {
		return slices.Concat(text[:old.Start], value, text[old.End():]), true
	}
	end := bytes.LastIndexByte(text, '}')
	out := bytes.Clone(text[:end])
	if before := bytes.TrimRight(out, " \t\r\n"); before[len(before)-1] != '{' {
		out = append(out, ',')
	}
	out = append(append(append(out, Quote(name)...), ':'), value...)
	return append(out, text[end:]...), true
}

// Rewrite returns a JSON value on one line, with other scalars. edit gets each of them as it was written, and also the
// names of members, with the decoder that has read it; nil removes the element, or the member of that value. Strings
// keep their spelling.
func Rewrite(text []byte, edit func(at *Decoder, v Value, isName bool) Value) ([]byte, error) {
	s := scanners.Get().(*scanner)
	defer s.release()
	s.read(text, Lenient)
	var out bytes.Buffer
	enc := NewEncoder(&out, Verbatim)
	var name Value // of the member whose value follows
	for done := false; !done; done = s.StackDepth() == 0 {
		var err error
		if k := s.PeekKind(); k == '}' || k == ']' || k == '{' || k == '[' {
			var bracket Token
			if bracket, err = s.ReadToken(); err == nil && name != nil {
				err = enc.WriteValue(name)
			}
			if err == nil {
				err = enc.WriteToken(bracket)
			}
			name = nil
		} else {
			name, err = s.scalar(enc, name, edit)
		}
		if err != nil {
			return nil, err
		}
	}
	return bytes.TrimSpace(out.Bytes()), s.nothing()
}

// scalar copies a value with the name before it, or returns the name that it has read.
func (s *scanner) scalar(out *Encoder, before Value, edit func(*Decoder, Value, bool) Value) (name Value, err error) {
	v, err := s.ReadValue()
	if err != nil {
		return nil, err
	}
	around, n := s.StackIndex(s.StackDepth())
	isName := around == '{' && n%2 == 1
	switch v = edit(&s.Decoder, v, isName); {
	case isName:
		return v.Clone(), nil
	case v != nil && before != nil:
		if err := out.WriteValue(before); err != nil {
			return nil, err
		}
		fallthrough
	case v != nil:
		err = out.WriteValue(v)
	}
	return nil, err
}
