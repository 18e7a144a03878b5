import { expect, test } from "bun:test"
import { noteOf } from "../../../test/truth-pairs.ts"
import { aboutSubject } from "./reconstruct.ts"

const day = (n: number) => new Date(Date.UTC(2024, 0, n)).toISOString()
const NOTES = [
  noteOf("why", "We chose Stripe because its tax handling covers the EU.", day(1), { topic: "payments" }),
  noteOf("old", "Failed payments are retried 3 times.", day(2), { topic: "payments" }),
  noteOf("new", "Failed payments are now retried 5 times.", day(9), { topic: "Payments" }),
  noteOf("trap", "Payments of the sandbox never expire.", day(4), { topic: "testing" }),
  noteOf("cats", "Cats sleep sixteen hours.", day(6), { topic: "animals" }),
]
const hits = [NOTES[1]!, NOTES[3]!, NOTES[4]!].map((entry, at) => ({ entry, score: 1 - at / 2.5 }))

test("near hits come first, then the rest of the named topic, newest first; distant hits are left out", () => {
  const { topics, hits: found } = aboutSubject("payments", hits, NOTES)
  expect(topics).toEqual(["payments"])
  expect(found.map(({ entry }) => entry.id)).toEqual(["old", "trap", "new", "why"])
})

test("names the words of the query that no entry contains", () => {
  expect(aboutSubject("payments chargeback", hits, NOTES).missing).toEqual(["chargeback"])
  expect(aboutSubject("quarks", [], NOTES)).toEqual({ topics: [], hits: [], missing: ["quarks"] })
})
