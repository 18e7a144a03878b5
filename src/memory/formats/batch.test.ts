import { expect, test } from "bun:test"
import fc from "fast-check"
import { readBatchFile } from "../use/remember.ts"
import { readBatch } from "./batch.ts"

const FULL = {
  text: "Payments are retried three times",
  topic: "payments",
  tags: ["retry"],
  kind: "decision",
  key: "retries",
  source: "src/pay.ts:3-9",
  metadata: { ticket: 12 },
  recorded_at: "2026-03-05T10:00:00Z",
  valid_from: "2026-03-05",
  valid_until: "2026-04-01",
  author: "Ann",
  role: "user",
  session: "s1",
  ordinal: 2,
  entities: ["Ann"],
  relations: [{ from: "Ann", to: "shop", type: "keeps", weight: 0.5 }, ["shop", "uses", "bank"]],
  replaces: ["00000000000000000001"],
}
const READ = {
  text: "Payments are retried three times",
  topic: "payments",
  tags: ["retry"],
  kind: "decision",
  key: "retries",
  source: "src/pay.ts:3-9",
  metadata: { ticket: 12 },
  recordedAt: "2026-03-05T10:00:00.000Z",
  validFrom: "2026-03-05",
  validUntil: "2026-04-01",
  author: "Ann",
  role: "person",
  session: "s1",
  ordinal: 2,
  entities: ["Ann"],
  relations: [
    { from: "Ann", to: "shop", type: "keeps", weight: 0.5 },
    { from: "shop", to: "bank", type: "uses" },
  ],
  replaces: ["00000000000000000001"],
} as const

test("reads every field in snake case and in camel case", () => {
  const camels = Object.fromEntries(
    Object.entries(FULL).map(([key, value]) => [
      key.replace(/_(.)/, (_, letter) => letter.toUpperCase()),
      value,
    ]),
  )
  const { entries } = read(`${JSON.stringify(FULL)}\n${JSON.stringify(camels)}`)
  expect(entries).toEqual([READ, READ])
})

test("accepts a byte-order mark, CRLF, empty lines, nulls and comma-separated words", () => {
  const { entries } = read(
    '\ufeff\r\n{"text":"a","tags":"x, y","author":null}\r\n\r\n{"text":"b\\r\\nc"}\r\n',
  )
  expect(entries).toEqual([{ text: "a", tags: ["x", "y"] }, { text: "b\r\nc" }])
})

test("reads UTF-16 with a byte-order mark", async () => {
  const bytes = Buffer.concat([
    Buffer.from([0xff, 0xfe]),
    Buffer.from('{"text":"ä"}\r\n{"text":"b"}', "utf16le"),
  ])
  const { entries } = await readBatchFile("-", "/", new Blob([bytes]).stream())
  expect(entries.map(({ text }) => text)).toEqual(["ä", "b"])
})

test("reports each bad line with its number and problem", () => {
  const lines = [
    '{"text":"good"}',
    '{"text":"a","tpoic":"x"}',
    '{"text":"a","recordedat":"yesterday"}',
    '{"topic":"a"}',
    "[1]",
    '{"text":"a","kind":"guess"}',
    '{"text":"a"',
    '{"text":"<aman-context>only what aman said</aman-context>"}',
  ]
  const found = () => {
    try {
      return read(lines.join("\n")).entries.join()
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(found().split("\n").slice(1)).toEqual([
    '  line 2: unknown key "tpoic"; did you mean "topic"?',
    '  line 3: recorded_at "yesterday" is not a date; write 2026-11-21 or 2026-11-21T20:00:00Z',
    '  line 4: "text" is missing or empty',
    "  line 5: not a JSON object",
    '  line 6: kind "guess" is not one of episodic, semantic, procedural, decision',
    expect.stringContaining("  line 7: not JSON"),
    '  line 8: "text" is missing or empty',
  ])
  const { entries, bad } = read(lines.join("\n"), true)
  expect([entries.length, bad.map(({ line }) => line)]).toEqual([1, [2, 3, 4, 5, 6, 7, 8]])
})

test("reads texts unchanged", () => {
  const texts = fc.array(
    fc
      .string({ unit: "binary", minLength: 1 })
      .filter((text) => text.trim() !== "" && !text.includes("<aman")),
  )
  fc.assert(
    fc.property(texts, (given) => {
      const { entries } = readBatch(given.map((text) => JSON.stringify({ text })).join("\n"), "-")
      expect(entries.map(({ text }) => text)).toEqual(given)
    }),
  )
})

function read(text: string, skipBad = false) {
  return readBatch(text, "file.jsonl", { skipBad })
}
