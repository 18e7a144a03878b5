import { expect, test } from "bun:test"
import fc from "fast-check"
import { cpuTime } from "../../../test/cpu-time.ts"
import { passagesOf } from "./pasted-text.ts"

/** The weight of the passage that has this text; the highest if there are several. */
function weightOf(query: string, text: string): number | undefined {
  const weights = passagesOf(query).flatMap((passage) =>
    passage.text.includes(text) ? [passage.weight] : [],
  )
  return weights.length === 0 ? undefined : Math.max(...weights)
}

test.each(["loadUser", "where are retries limited", "  retry uploads\n", ""])(
  "a query of one short line is one passage of full weight: %p",
  (query) => {
    expect(passagesOf(query)).toEqual([{ text: query.trim(), weight: 1 }])
  },
)

const ISSUE = `<!-- Please search first -->
### Bug report
Upload fails after a redirect

### Steps to reproduce
Call \`Client.send()\` with a body that was read.

\`\`\`py
client.send(request)
\`\`\`

Traceback (most recent call last):
  File "/home/me/site-packages/web/client.py", line 12, in send
    self._retry(request)
ValueError: body was consumed

### Environment
- Python: 3.11
- macOS
2024-01-05 10:00:01 INFO started
- [x] I have searched`

test("the title of an issue counts most, then names and the error, then prose, frames and code", () => {
  expect(weightOf(ISSUE, "Upload fails after a redirect")).toBe(1)
  expect(weightOf(ISSUE, "ValueError: body was consumed")).toBe(0.7)
  expect(passagesOf(ISSUE)).toContainEqual({ text: "`Client.send()`", weight: 0.7 })
  expect(weightOf(ISSUE, "with a body that was read")).toBe(0.4)
  expect(weightOf(ISSUE, "web/client.py")).toBe(0.3)
  expect(weightOf(ISSUE, "client.send(request)")).toBe(0.3)
})

test("headings of forms, versions, logs and check boxes hardly count, comments not at all", () => {
  for (const text of ["Steps to reproduce", "Python: 3.11", "- macOS", "INFO started", "I have searched"])
    expect(weightOf(ISSUE, text)).toBe(0.05)
  expect(weightOf(ISSUE, "Please search first")).toBeUndefined()
})

test("the error is the title of a trace pasted alone", () => {
  const trace =
    'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in run\n    main()\nValueError: gone too soon'
  expect(passagesOf(trace)[0]).toEqual({ text: "ValueError: gone too soon", weight: 1 })
  expect(weightOf(trace, "main()")).toBe(0.3)
})

test("the first sentence of one long line is its title", () => {
  const query = `The upload fails after a redirect. ${"It was tried with a body and without one. ".repeat(8)}`
  expect(passagesOf(query)[0]).toEqual({ text: "The upload fails after a redirect.", weight: 1 })
  expect(weightOf(query, "tried with a body")).toBe(0.4)
})

test.each([
  ['  File "a/b.py", line 3, in run', 0.3],
  ["    at load (src/a.js:3:7)", 0.3],
  ["\tat com.shop.Cart.add(Cart.java:12)", 0.3],
  ["main.go:12 +0x1d", 0.3],
  ["Error: too late for a refund", 0.7],
  ["thread 'main' panicked at 'gone'", 0.7],
  ["error[E0308]: mismatched types", 0.7],
  ["[2024-01-05 10:00] started", 0.05],
  ["Node.js: v20.1", 0.05],
])("a line below the title is weighed by its form: %s", (line, weight) => {
  expect(weightOf(`Refund fails\n${line}`, line)).toBe(weight)
})

test("each word of the title of any text is kept, in bounded time", () => {
  const line = fc.string({ unit: "binary", maxLength: 60 })
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const passages = passagesOf(lines.join("\n"))
      expect(passages[0]!.weight).toBe(1)
      for (const { weight } of passages) expect(weight).toBeWithin(0, 1.01)
    }),
    { numRuns: 300 },
  )
  const hostile = [
    "`".repeat(9_000),
    "(".repeat(9_000),
    "a.".repeat(4_500),
    "-".repeat(9_000),
    "<!--".repeat(2_000),
  ]
  const started = cpuTime()
  for (const text of hostile) passagesOf(`title\n${text}\n${text}`)
  expect(cpuTime() - started).toBeLessThan(2_000)
})
