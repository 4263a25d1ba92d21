package bank

import (
	"sync"
	"testing"
)

func TestTransfer(t *testing.T) {
	alice, bob := &Account{balance: 10}, &Account{balance: 10}
	var wg sync.WaitGroup
	wg.Go(func() { Transfer(alice, bob, 1) })
	wg.Go(func() { Transfer(bob, alice, 2) })
	wg.Wait()
	if alice.balance != 11 || bob.balance != 9 {
		t.Errorf("alice has %d, bob has %d", alice.balance, bob.balance)
	}
}

func TestDeposit(t *testing.T) {
	var a Account
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { a.Deposit(1) })
	}
	wg.Wait()
	if a.balance != 3 {
		t.Errorf("the balance is %d", a.balance)
	}
}
