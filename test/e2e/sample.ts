/** A small shop in three languages, with one place that answers each question of the tests. */
export const SHOP: Readonly<Record<string, string>> = {
  "go.mod": "module example.com/shop\n\ngo 1.22\n",
  "README.md": `# Shop

A small shop.

## Refunds

Money goes back to the customer within three days. See the billing package.
`,
  "billing/refund.go": `package billing

import "errors"

// ErrTooLate says that the time for a refund is over.
var ErrTooLate = errors.New("too late for a refund")

// Ledger keeps the payments of all customers.
type Ledger struct {
	payments map[string]int
}

// RefundPayment gives a customer's money back.
func (l *Ledger) RefundPayment(id string) error {
	if _, ok := l.payments[id]; !ok {
		return ErrTooLate
	}
	delete(l.payments, id)
	return nil
}
`,
  "billing/refund_test.go": `package billing

import "testing"

func TestRefundPayment(t *testing.T) {
	l := &Ledger{payments: map[string]int{"a": 1}}
	if err := l.RefundPayment("a"); err != nil {
		t.Fatal(err)
	}
}
`,
  "web/login.ts": `import { hash } from "./hash.ts"

const MAX_ATTEMPTS = 5

/** Locks the account after too many failed logins. */
export function limitAttempts(failures: number): boolean {
  return failures >= MAX_ATTEMPTS
}

export class LoginForm {
  submit(name: string, password: string): string {
    return hash(name + password)
  }
}
`,
  "web/hash.ts": `export function hash(text: string): string {
  let value = 5381
  for (const letter of text) value = (value * 33) ^ letter.charCodeAt(0)
  return String(value)
}
`,
  "tools/report.py": `"""Monthly report of sales."""

def monthly_report(sales):
    """Sum the sales of every month."""
    totals = {}
    for sale in sales:
        totals[sale.month] = totals.get(sale.month, 0) + sale.amount
    return totals
`,
}
