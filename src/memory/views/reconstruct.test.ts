import { expect, test } from "bun:test"
import fc from "fast-check"
import { noteOf } from "../../../test/truth-pairs.ts"
import { countTokens } from "../../text/token-count.ts"
import type { Entry } from "../entries/entry.ts"
import { reconstruct } from "./reconstruct.ts"

const NOW = "2025-01-01T00:00:00.000Z"
const day = (n: number) => new Date(Date.UTC(2024, 0, n)).toISOString()

const PAYMENTS = [
  noteOf("why", "We chose Stripe because its tax handling covers the EU.", day(1), {
    topic: "payments",
    kind: "decision",
  }),
  noteOf("old", "Failed payments are retried 3 times.", day(2), { topic: "payments" }),
  noteOf("new", "Failed payments are now retried 5 times.", day(9), { topic: "payments" }),
  noteOf("how", "To refund payments run `pay refund ID`.", day(3), { topic: "payments", kind: "procedural" }),
  noteOf("trap", "Payments of the sandbox never expire.", day(4), { topic: "testing", tags: ["gotcha"] }),
  noteOf("again", "To refund payments, run `pay refund ID`!", day(5), {
    topic: "payments",
    kind: "procedural",
  }),
  noteOf("cats", "Cats sleep sixteen hours.", day(6), { topic: "animals" }),
]

const hitsOf = (entries: readonly Entry[]) => entries.map((entry, at) => ({ entry, score: 1 - at / 20 }))
const found = (tokens = 4000) =>
  reconstruct("payments", hitsOf(PAYMENTS.slice(0, 5)), PAYMENTS, { now: NOW, tokens })

test("entries are grouped by section, newest first, across topics; the subject's own topic is included completely", () => {
  expect(found().sections.map(({ name, entries }) => [name, entries.map(({ entry }) => entry.id)])).toEqual([
    ["decisions", ["why"]],
    ["how-to", ["again"]],
    ["gotchas", ["trap"]],
    ["facts", ["new", "old"]],
  ])
  expect(found().topics).toEqual(["payments"])
})

test("repeats are merged into the newest entry", () => {
  const [entry] = found().sections.find(({ name }) => name === "how-to")!.entries
  expect(entry).toMatchObject({ entry: { id: "again" }, repeats: ["how"] })
})

test("an outdated entry with similar text is marked instead of merged", () => {
  const facts = found().sections.find(({ name }) => name === "facts")!.entries
  expect(facts.map(({ entry, mark }) => [entry.id, mark.outdatedBy])).toEqual([
    ["new", null],
    ["old", "new"],
  ])
})

test("gaps are listed: sections without an entry, words that no entry contains", () => {
  expect(found().gaps.sections).toEqual(["architecture", "invariants", "performance"])
  const asked = reconstruct("payments chargeback", hitsOf(PAYMENTS), PAYMENTS, { now: NOW, tokens: 4000 })
  expect(asked.gaps.words).toEqual(["chargeback"])
})

test("entries beyond the budget are left out and listed; the first entry is always included", () => {
  const { sections, leftOff, tokens } = found(100)
  expect(sections.flatMap(({ entries }) => entries).length + leftOff.length).toBe(5)
  expect(leftOff.length).toBeGreaterThan(0)
  expect(tokens).toBeLessThanOrEqual(100)
  expect(found(1).sections.flatMap(({ entries }) => entries)).toHaveLength(1)
})

test("without any entries every section is a gap", () => {
  const nothing = reconstruct("quarks", [], PAYMENTS, { now: NOW, tokens: 1000 })
  expect(nothing).toMatchObject({ sections: [], leftOff: [], gaps: { words: ["quarks"] } })
})

test("texts stay within the tokens, and every entry found is shown or listed", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 900 })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), fc.integer({ min: 100, max: 3000 }), (texts, tokens) => {
      const entries = texts.map((each, at) => noteOf(`e${at}`, each, day(at + 1), { topic: `t${at % 3}` }))
      const all = reconstruct("t1 subject", hitsOf(entries), entries, { now: NOW, tokens })
      const shown = all.sections.flatMap((section) => section.entries)
      const ids = [
        ...shown.flatMap(({ entry, repeats }) => [entry.id, ...repeats]),
        ...all.leftOff.map(({ id }) => id),
      ]
      expect(new Set(ids).size).toBe(ids.length)
      if (shown.length > 1)
        expect(shown.reduce((sum, each) => sum + countTokens(each.text), 0)).toBeLessThanOrEqual(tokens)
    }),
    { numRuns: 60 },
  )
})
