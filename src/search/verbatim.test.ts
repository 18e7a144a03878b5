import { describe, expect, test } from "bun:test"
import { answerOf, hitOf } from "../../test/sketches.ts"
import { parseQuery } from "./query.ts"
import { scaleOf } from "./query-scale.ts"
import { verbatimIn } from "./verbatim.ts"

/** The share of a query that a file of one chunk with this text says, where its chunk holds all of its words. */
function share(query: string, text: string | null, body = 0xff_ff_ff): number {
  const chunk = { ordinal: 0, startLine: 1, endLine: 99, score: 1, body, doc: 0, names: 0 }
  const parsed = parseQuery(query)
  const idf = Array.from({ length: parsed.scored }, () => 1)
  const scale = scaleOf(parsed, answerOf(idf, [hitOf({ id: 7, chunks: [chunk] })]))
  return verbatimIn(query, scale, () => text).get(7)?.share ?? 0
}

describe("what a file says word for word", () => {
  test.each([
    ["cannot renew an expired session token", 'throw new Error("Cannot renew an expired session token!")', 1],
    ["cannot renew an expired session token", 'fail("cannot renew an " +\n     "expired session token")', 1],
    ["Error: cannot renew expired session token", 'fail("cannot renew expired session token")', 5 / 6],
    // Values stand where the message has holes.
    [
      'Failed to renew session "abc" of user "ines": the token has expired',
      `\`Failed to renew session "\${id}" of user "\${name}": the token has expired\``,
      8 / 12,
    ],
    // A line of what was pasted.
    [
      "$ run\nTypeError here\ncannot renew an expired session token\n  at a.ts:4",
      "cannot renew an expired session token",
      1,
    ],
    // The same words in another order, too few in a row, none that tell, nothing to read.
    ["cannot renew an expired session token", "a token of the session expired, renew it: cannot", 0],
    ["renew session token", "renew session token", 0],
    ["what is it that they do", "what is it that they do", 0],
    ["cannot renew an expired session token", null, 0],
  ])("%s | %s", (query, text, wanted) => {
    expect(share(query, text)).toBeCloseTo(wanted, 5)
  })

  test("is not looked for in a chunk that has few of the words", () => {
    expect(share("cannot renew an expired session token", "cannot renew an expired session token", 3)).toBe(0)
  })
})
