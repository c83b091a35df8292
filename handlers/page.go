package handlers

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
	"github.com/mcp-bash/mcp-bash/v2/pipeline"
)

// Pages caches the encoded pages of lists, until a list changes. Sessions of a server that shows
// the same lists to everybody share one; nil caches nothing.
type Pages struct {
	// Looks reports whether getting a list means looking at files. Then a client that goes from
	// page to page gets all of them from the same look; nil: never.
	Looks func() bool

	mu    sync.Mutex
	lists map[string]*keptList // by collection
}

// A keptList is a list and its cached pages.
type keptList struct {
	found   any       // the snapshot that it was built from
	listing any       // the part of it that is shown
	hash    string    // of the listing
	looked  time.Time // when it was found

	mu    sync.Mutex
	pages map[pageKey]Page
	size  int // of the cached pages, in bytes
}

// A pageKey is what a page depends on besides its list.
type pageKey struct {
	revision      *mcp.Revision
	offset, limit int
}

const (
	maxKeptPages = 1 << 20         // bytes of one list: some thousands of entries; longer lists are encoded each time
	walkTime     = 2 * time.Second // within which pages are from the same look
)

// A Page is a page of a list. It is encoded already, except for what stateless revisions add.
type Page struct {
	mcp.Result // what they add

	items pipeline.Encoded // {"tools":[…]}
	next  string           // the cursor of the next page; empty for the last one
	total int              // how long the list is
	whole pipeline.Encoded // all of it, without what is added
}

// Decode decodes the result into v.
func (p *Page) Decode(v any) error {
	whole, err := p.encode()
	if err != nil {
		return err
	}
	return json.Unmarshal(whole.Bytes(), v)
}

// encode returns the result.
func (p *Page) encode() (pipeline.Encoded, error) {
	if p.Meta == nil && p.ResultType == "" {
		return p.whole, nil
	}
	return p.merge(p.Result)
}

// merge returns the page with what is added to it.
func (p *Page) merge(more mcp.Result) (pipeline.Encoded, error) {
	more.SetMeta("mcpbash/total", p.total) // an extension of ours
	rest, err := pipeline.Encode(struct {
		NextCursor string `json:"nextCursor,omitzero"`
		mcp.Result
	}{p.next, more})
	return p.items.Merge(rest), err
}

// A pager shows a list page by page.
type pager[T catalog.Entry] struct {
	name  string // of the list, in results and cursors
	find  func(context.Context) (Snapshot[T], error)
	shown func(T) bool               // nil: all are
	some  func(T) bool               // whether only some callers are shown an item; nil: none
	item  func(T, *mcp.Revision) any // as clients of a revision see it
	size  int                        // of a page, where the client does not say
	pages *Pages
}

// page returns the page that a client asks for. A cursor that is not, or no longer, of this list is
// refused (PG-02).
func (s pager[T]) page(ctx context.Context, p mcp.ListParams, revision *mcp.Revision) (Page, error) {
	if p.Limit > 0 {
		s.size = p.Limit
	}
	cursor := ""
	if p.Cursor != nil {
		cursor = *p.Cursor
	}
	list, kept, own, err := s.list(ctx, cursor)
	if err != nil {
		return Page{}, err
	}
	offset, err := list.Offset(cursor)
	if err != nil || p.Cursor != nil && cursor == "" {
		return Page{}, pipeline.Errorf(-32602, "Invalid cursor")
	}
	key := pageKey{revision, offset, catalog.PageSize(s.size)}
	if page, ok := kept.get(key); ok {
		return page, nil
	}
	page, err := s.encode(list, key)
	if own && revision.Stateless {
		page.CacheScope = mcp.Private
	}
	if err == nil {
		kept.put(key, page, 1+len(list.Items)/key.limit)
	}
	return page, err
}

// list returns the list that is shown, as the files are now. own: other callers may have another one.
func (s pager[T]) list(ctx context.Context, cursor string) (
	list catalog.Listing[T], kept *keptList, own bool, err error) {
	if kept := s.pages.resume(s.name, cursor); kept != nil {
		return kept.listing.(catalog.Listing[T]), kept, false, nil
	}
	looked := time.Now()
	found, err := s.find(ctx)
	if err != nil {
		return list, nil, false, err
	}
	isOwn := func() bool { return s.some != nil && slices.ContainsFunc(found.Items, s.some) }
	if s.pages == nil {
		return found.Listing(s.shown), nil, isOwn(), nil
	}
	s.pages.mu.Lock()
	defer s.pages.mu.Unlock()
	if kept = s.pages.lists[s.name]; kept != nil && found.Same(kept.found.(Snapshot[T])) {
		kept.looked = looked
		return kept.listing.(catalog.Listing[T]), kept, false, nil
	}
	list = found.Listing(s.shown)
	if isOwn() {
		delete(s.pages.lists, s.name)
		return list, nil, true, nil
	}
	kept = &keptList{found: found, listing: list, hash: list.Hash, looked: looked, pages: make(map[pageKey]Page)}
	if s.pages.lists == nil {
		s.pages.lists = make(map[string]*keptList)
	}
	s.pages.lists[s.name] = kept
	return list, kept, false, nil
}

// resume returns the list of a cursor if it need not be looked for again, else nil.
func (p *Pages) resume(name, cursor string) *keptList {
	if p == nil || cursor == "" || p.Looks == nil || !p.Looks() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.lists[name]
	if kept == nil || time.Since(kept.looked) > walkTime {
		return nil
	}
	if _, err := (catalog.Cursors{Collection: name, Hash: kept.hash}).Offset(cursor); err != nil {
		return nil
	}
	return kept
}

// encode encodes a page.
func (s pager[T]) encode(list catalog.Listing[T], key pageKey) (Page, error) {
	items, next := list.Cut(key.offset, key.limit)
	shown := make([]any, len(items)) // never nil
	for i, item := range items {
		shown[i] = s.item(item, key.revision)
	}
	all, err := pipeline.Encode(map[string]any{s.name: shown})
	if err != nil {
		return Page{}, err
	}
	page := Page{items: all, next: next, total: len(list.Items)}
	page.whole, err = page.merge(mcp.Result{})
	return page, err
}

func (k *keptList) get(key pageKey) (page Page, ok bool) {
	if k == nil {
		return page, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	page, ok = k.pages[key]
	return page, ok
}

// put keeps a page of a list with this many pages, unless the list is so long that a walk over it
// would find none of them again.
func (k *keptList) put(key pageKey, page Page, pages int) {
	size := len(page.items.Bytes())
	if k == nil || size*pages > maxKeptPages {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.size += size; k.size > maxKeptPages {
		clear(k.pages)
		k.size = size
	}
	k.pages[key] = page
}
