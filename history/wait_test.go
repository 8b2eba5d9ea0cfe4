package history

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"
)

// TestWaiting: who waits for another writer says so, and goes on when that one has ended.
func TestWaiting(t *testing.T) {
	place := filepath.Join(t.TempDir(), "history.db")
	first, err := Open(t.Context(), place, Write)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	defer func(was time.Duration) { silentWait = was }(silentWait)
	silentWait = 0
	held, told, release := make(chan struct{}), make(chan time.Duration, 1), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- first.inTransaction(context.Background(), func(*sql.Tx) error { close(held); <-release; return nil })
	}()
	<-held
	second, err := Open(t.Context(), place, Change)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	ctx := WhenWaiting(t.Context(), func(longest time.Duration) { told <- longest; close(release) })
	if err := second.inTransaction(ctx, func(*sql.Tx) error { return nil }); err != nil {
		t.Error(err)
	}
	if longest := <-told; longest != 30*time.Second {
		t.Errorf("it gives up after %s", longest)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
