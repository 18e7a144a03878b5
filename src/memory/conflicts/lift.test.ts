import { describe, expect, test } from "bun:test"
import { noteOf } from "../../../test/truth-pairs.ts"
import { chanceOfNewer } from "./lift.ts"
import { settle } from "./settle.ts"

const AT = { at: "2026-01-01T00:00:00.000Z" }
const [JAN, JUNE] = ["2024-01-10T12:00:00.000Z", "2024-06-10T12:00:00.000Z"]
const OLD = noteOf("old", "The retry limit of the gateway is five attempts.", JAN)
const NEW = noteOf("new", "The retry limit of the gateway was raised to nine attempts.", JUNE)
const OTHER = noteOf("other", "The gateway is written in Go.", JAN)

/** Ids in the order of the answer when the newer note has this share of the older one's score. */
function orderAt(share: number, question: string): string[] {
  const hits = [
    { entry: OLD, score: 0.5 },
    { entry: OTHER, score: 0.5 * (share + 0.01) },
    { entry: NEW, score: 0.5 * share },
  ]
  const settled = settle(question, hits, AT)
  expect(settled.find(({ hit }) => hit.entry.id === "old")!.mark.outdatedBy).toBe("new")
  return settled.map(({ hit }) => hit.entry.id)
}

describe("an inferred update", () => {
  const now = "what is the retry limit of the gateway"

  test("moves the newer entry above the older one when the newer fits the question about as well", () => {
    expect(orderAt(0.9, now)).toEqual(["new", "old", "other"])
  })

  test("marks but does not move an entry that fits the question far worse than the older one", () => {
    expect(orderAt(0.05, now)).toEqual(["old", "other", "new"])
  })

  test("keeps the order when the question compares two moments", () => {
    expect(orderAt(0.9, "how much did the retry limit of the gateway increase")).toEqual([
      "old",
      "other",
      "new",
    ])
  })

  test("is likelier with more evidence and with a better score", () => {
    expect(chanceOfNewer(8, 0.8)).toBeGreaterThan(chanceOfNewer(6, 0.8))
    expect(chanceOfNewer(6, 0.9)).toBeGreaterThan(chanceOfNewer(6, 0.5))
    expect(chanceOfNewer(6, 0)).toBeGreaterThan(0)
  })
})
