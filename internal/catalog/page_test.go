package catalog

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matryer/is"
)

func numbers(n int) Listing[int] {
	l := Listing[int]{Cursors{"tools", "abc"}, make([]int, n)}
	for i := range l.Items {
		l.Items[i] = i
	}
	return l
}

func TestPagesHoldEveryItemOnce(t *testing.T) {
	for _, c := range []struct{ items, limit, pages int }{
		{0, 2, 1}, {1, 2, 1}, {2, 2, 1}, {3, 2, 2}, {4, 2, 2}, {5, 1, 5}, {100, 0, 1}, {101, 0, 2}, {101, -5, 2},
		{501, 9999, 2},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			is := is.New(t)
			l := numbers(c.items)
			var got []int
			pages, at := 0, ""
			for {
				page, next, err := l.Page(at, c.limit)
				is.NoErr(err)
				got = append(got, page...)
				if pages++; next == "" {
					break
				}
				at = next
			}
			is.Equal(pages, c.pages)            // no empty page at the end
			is.True(slices.Equal(got, l.Items)) // in order
		})
	}
}

func TestACursorIsTheJSONThatTheSpecificationNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		is := is.New(t)
		_, next, err := numbers(3).Page("", 2)
		is.NoErr(err)
		text, err := base64.RawURLEncoding.DecodeString(next)
		is.NoErr(err) // base64url without padding
		is.Equal(string(text), `{"ver":1,"collection":"tools","offset":2,"hash":"abc","timestamp":"2000-01-01T00:00:00Z"}`)
	})
}

func TestACursorWorksInAnotherProcess(t *testing.T) {
	is := is.New(t)
	_, next, err := numbers(5).Page("", 3)
	is.NoErr(err)
	page, end, err := numbers(5).Page(next, 3)
	is.NoErr(err)
	is.Equal(page, []int{3, 4})
	is.Equal(end, "")
}

func TestCursorsThatAreNotOfTheList(t *testing.T) {
	encode := func(json string) string { return base64.RawURLEncoding.EncodeToString([]byte(json)) }
	const good = `{"ver":1,"collection":"tools","offset":2,"hash":"abc","timestamp":"2000-01-01T00:00:00Z"}`
	if _, _, err := numbers(3).Page(encode(good), 1); err != nil {
		t.Fatal("the good one is not: ", err)
	}
	with := func(old, new string) string { return encode(strings.Replace(good, old, new, 1)) }
	cases := []struct{ name, cursor string }{
		{"a word", "zzz"},
		{"blanks", " "},
		{"other base64", base64.StdEncoding.EncodeToString([]byte(good + "  "))},
		{"padding", encode(good) + "=="},
		{"a line break within", encode(good)[:4] + "\n" + encode(good)[4:]},
		{"no JSON", encode("{")},
		{"no object", encode("[1]")},
		{"null", encode("null")},
		{"nothing in it", encode("{}")},
		{"another version", with(`"ver":1`, `"ver":2`)},
		{"no version", with(`"ver":1,`, ``)},
		{"a version in quotes", with(`"ver":1`, `"ver":"1"`)},
		{"another list", with(`tools`, `prompts`)},
		{"a list that has changed", with(`abc`, `abd`)},
		{"an offset past the end", with(`"offset":2`, `"offset":3`)},
		{"an offset before the start", with(`"offset":2`, `"offset":-1`)},
		{"half an offset", with(`"offset":2`, `"offset":1.5`)},
		{"an offset beyond numbers", with(`"offset":2`, `"offset":99999999999999999999`)},
		{"another timestamp", with(`2000-01-01T00:00:00Z`, `yesterday`)},
		{"something more", with(`"ver":1`, `"ver":1,"x":1`)},
		{"something twice", with(`"ver":1`, `"ver":1,"ver":1`)},
		{"other case", with(`"ver"`, `"Ver"`)},
		{"more behind it", encode(good + "{}")},
		{"too long", encode(good + strings.Repeat(" ", cursorBytes))},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			is := is.New(t)
			page, next, err := numbers(3).Page(c.cursor, 1)
			is.True(errors.Is(err, ErrInvalidCursor)) // it is refused
			is.True(page == nil && next == "")        // and nothing is served
		})
	}
	is := is.New(t)
	_, _, err := numbers(0).Page(with(`"offset":2`, `"offset":0`), 1)
	is.True(errors.Is(err, ErrInvalidCursor)) // an empty list has no cursors
}

func TestAPageCannotGrowIntoTheNext(t *testing.T) {
	is := is.New(t)
	l := numbers(3)
	page, _, err := l.Page("", 1)
	is.NoErr(err)
	_ = append(page, 99)
	is.Equal(l.Items[1], 1) // the list is shared
}

func FuzzCursor(f *testing.F) {
	_, next, _ := numbers(3).Page("", 1)
	for _, seed := range []string{"", "zzz", next, next + "=", "e30",
		base64.RawURLEncoding.EncodeToString([]byte(`{"ver":1,"collection":"tools","offset":1,"hash":"abc","timestamp":""}`))} {
		f.Add(seed, 2)
	}
	f.Fuzz(func(t *testing.T, cursor string, limit int) {
		l := numbers(1000)
		page, next, err := l.Page(cursor, limit)
		switch {
		case err != nil:
			if !errors.Is(err, ErrInvalidCursor) || page != nil {
				t.Fatal(page, err)
			}
		case len(page) == 0 || len(page) > MaxPageSize:
			t.Fatal(len(page))
		case next != "":
			following, _, err := l.Page(next, 1)
			if err != nil || following[0] != page[len(page)-1]+1 {
				t.Fatal(following, err)
			}
		}
	})
}

// Page returns the page at a cursor, with PageSize of limit items; the empty cursor is the first
// page. next is the cursor of the next page, empty at the end. The error is ErrInvalidCursor.
func (l Listing[T]) Page(at string, limit int) (page []T, next string, err error) {
	offset, err := l.Offset(at)
	if err != nil {
		return nil, "", err
	}
	page, next = l.Cut(offset, PageSize(limit))
	return page, next, nil
}
