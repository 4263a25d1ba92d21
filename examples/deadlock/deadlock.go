// Package deadlock shows two goroutines that take two mutexes in opposite
// orders. No line of the code shows both orders: each goroutine locks the
// account that it takes from, then the one that it gives to.
package deadlock

import "github.com/gopor/gopor/sched"

// Account holds money.
type Account struct {
	id      int
	mu      sched.Mutex
	balance sched.Var[int]
}

// NewAccount returns an account. No two have the same id.
func NewAccount(id, balance int) *Account {
	a := &Account{id: id}
	a.balance.Store(balance)
	return a
}

// Transfer moves money. It deadlocks if another Transfer goes the other way.
func Transfer(from, to *Account, amount int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	move(from, to, amount)
}

// TransferInOrder moves money, and locks the accounts in the order of their ids
// whichever way it goes.
func TransferInOrder(from, to *Account, amount int) {
	first, second := from, to
	if second.id < first.id {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	move(from, to, amount)
}

func move(from, to *Account, amount int) {
	from.balance.Store(from.balance.Load() - amount)
	to.balance.Store(to.balance.Load() + amount)
}

// Total returns what the accounts hold together.
func Total(accounts ...*Account) int {
	sum := 0
	for _, a := range accounts {
		a.mu.Lock()
		sum += a.balance.Load()
		a.mu.Unlock()
	}
	return sum
}
