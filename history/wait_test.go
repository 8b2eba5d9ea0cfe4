package history

import (
	"context"
	"database/sql"
	"strings"
	"testing"
	"time"
)

// held begins a transaction that keeps others waiting until release is called.
func held(t *testing.T, s *Store, statement string) (release func()) {
	t.Helper()
	begun, end, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- s.inTransaction(context.Background(), func(tx *sql.Tx) error {
			_, err := tx.Exec(statement)
			close(begun)
			<-end
			return err
		})
	}()
	<-begun
	return func() {
		close(end)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestWaiting: who waits for another writer says so, and goes on when that one has ended.
func TestWaiting(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		first, second := open(t, place, Write), open(t, place, Change)
		defer func(was time.Duration) { silentWait = was }(silentWait)
		silentWait = 20 * time.Millisecond
		release := held(t, first, `UPDATE tribunal_sequence SET last = last`)
		told := make(chan time.Duration, 1)
		ctx := WhenWaiting(t.Context(), func(longest time.Duration) { told <- longest; release() })
		if err := second.inTransaction(ctx, func(*sql.Tx) error { return nil }); err != nil {
			t.Error(err)
		}
		if longest := <-told; longest != 30*time.Second {
			t.Errorf("it gives up after %s", longest)
		}
	})
}

// TestGivingUp: who has waited for long enough says what to do, whatever is locked.
func TestGivingUp(t *testing.T) {
	everywhere(t, func(t *testing.T, place string) {
		defer func(longest, silent time.Duration) { lockWait, silentWait = longest, silent }(lockWait, silentWait)
		lockWait, silentWait = 60*time.Millisecond, 20*time.Millisecond
		first, second := open(t, place, Write), open(t, place, Change)
		defer held(t, first, `UPDATE tribunal_sequence SET last = last`)()
		if _, _, err := second.Add(t.Context(), runOf(1)); err == nil || !strings.Contains(err.Error(), "wait for it to end and try again") {
			t.Errorf("it says %v", err)
		}
	})
}
