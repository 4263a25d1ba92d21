package bank

import "sync"

// An Account has a lock of its own.
type Account struct {
	mu      sync.Mutex
	balance int
}

// Transfer moves money from one account to another.
func Transfer(from, to *Account, amount int) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock()
	defer to.mu.Unlock()
	from.balance -= amount
	to.balance += amount
}

// Deposit puts money in.
func (a *Account) Deposit(amount int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += amount
}
