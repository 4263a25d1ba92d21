package dskit

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/go-kit/log"

	"github.com/grafana/dskit/cache"
	"github.com/grafana/dskit/services"
)

// behind is the cache behind the LRU. Its functions are called before what they are named after.
type behind struct {
	*cache.MockCache
	delete, set func()
}

func (b *behind) Delete(ctx context.Context, key string) error {
	if b.delete != nil {
		b.delete()
	}
	return b.MockCache.Delete(ctx, key)
}

func (b *behind) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	err := b.MockCache.Set(ctx, key, value, ttl)
	if set := b.set; set != nil {
		b.set = nil
		set()
	}
	return err
}

func lru(t *testing.T) (cache.Cache, *behind) {
	b := &behind{MockCache: cache.NewMockCache()}
	c, err := cache.WrapWithLRUCache(b, "c", nil, 10, time.Hour, log.NewNopLogger())
	if err != nil {
		t.Fatal(err)
	}
	return c, b
}

// TestDelete deletes beside GetMulti.
func TestDelete(t *testing.T) {
	ctx := context.Background()
	c, b := lru(t)
	b.Set(ctx, "k", []byte("v"), time.Hour)
	var wg sync.WaitGroup
	wg.Go(func() { c.GetMulti(ctx, []string{"k"}) })
	wg.Go(func() { c.Delete(ctx, "k") })
	wg.Wait()
	if v := c.GetMulti(ctx, []string{"k"}); len(v) > 0 {
		t.Errorf("deleted, and still there: %s", v["k"])
	}
}

// TestDeleteForced has GetMulti come when the key is deleted in the LRU, and not behind it.
func TestDeleteForced(t *testing.T) {
	ctx := context.Background()
	c, b := lru(t)
	b.Set(ctx, "k", []byte("v"), time.Hour)
	b.delete = func() { c.GetMulti(ctx, []string{"k"}) }
	c.Delete(ctx, "k")
	if v := c.GetMulti(ctx, []string{"k"}); len(v) > 0 {
		t.Errorf("deleted, and still there: %s", v["k"])
	}
}

// TestSet sets one key twice.
func TestSet(t *testing.T) {
	ctx := context.Background()
	c, b := lru(t)
	var wg sync.WaitGroup
	wg.Go(func() { c.Set(ctx, "k", []byte("1"), time.Hour) })
	wg.Go(func() { c.Set(ctx, "k", []byte("2"), time.Hour) })
	wg.Wait()
	k := []string{"k"}
	if x, y := c.GetMulti(ctx, k), b.GetMulti(ctx, k); string(x["k"]) != string(y["k"]) {
		t.Errorf("%s in the LRU, and %s behind it", x["k"], y["k"])
	}
}

// TestSetForced has the second Set come when the first one has set the key behind the LRU.
func TestSetForced(t *testing.T) {
	ctx := context.Background()
	c, b := lru(t)
	b.set = func() { c.Set(ctx, "k", []byte("2"), time.Hour) }
	c.Set(ctx, "k", []byte("1"), time.Hour)
	k := []string{"k"}
	if x, y := c.GetMulti(ctx, k), b.GetMulti(ctx, k); string(x["k"]) != string(y["k"]) {
		t.Errorf("%s in the LRU, and %s behind it", x["k"], y["k"])
	}
}

// watch returns a watcher of two services that fail.
func watch() *services.FailureWatcher {
	ctx := context.Background()
	fail := func(context.Context) error { return errors.New("failed") }
	w := services.NewFailureWatcher()
	for range 2 {
		s := services.NewBasicService(nil, fail, nil).WithName("s")
		w.WatchService(s)
		s.StartAsync(ctx)
	}
	return w
}

// TestWatcher reads one failure, and closes the watcher.
func TestWatcher(t *testing.T) {
	w := watch()
	<-w.Chan()
	w.Close()
}

// TestWatcherForced does so when both have failed.
func TestWatcherForced(t *testing.T) {
	w := watch()
	<-w.Chan()
	time.Sleep(100 * time.Millisecond)
	closed := make(chan struct{})
	go func() {
		w.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(5 * time.Second):
		t.Error("a second service has failed, and Close does not return")
	}
}

// TestDescribe describes a service without a name while it starts.
func TestDescribe(t *testing.T) {
	s := services.NewIdleService(nil, nil)
	var wg sync.WaitGroup
	wg.Go(func() { services.DescribeService(s) })
	wg.Go(func() { s.StartAsync(context.Background()) })
	wg.Wait()
	services.StopAndAwaitTerminated(context.Background(), s)
}

// TestDescribeForced starts the service when it was described, which orders nothing: go test -race.
func TestDescribeForced(t *testing.T) {
	s := services.NewIdleService(nil, nil)
	var wg sync.WaitGroup
	wg.Go(func() { services.DescribeService(s) })
	wg.Go(func() {
		time.Sleep(100 * time.Millisecond)
		s.StartAsync(context.Background())
	})
	wg.Wait()
	services.StopAndAwaitTerminated(context.Background(), s)
}
