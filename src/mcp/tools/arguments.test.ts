import { expect, test } from "bun:test"
import fc from "fast-check"
import { z } from "zod"
import { objectIn, readArguments, type Schema } from "./arguments.ts"

const INPUT = z.strictObject({
  query: z.string(),
  limit: z.number().int().optional(),
  weight: z.number().optional(),
  explain: z.boolean().optional(),
  queries: z.array(z.string()).optional(),
  path: z.union([z.string(), z.array(z.string())]).optional(),
  skipped: z.union([z.boolean(), z.string()]).optional(),
  relations: z.array(z.object({ from: z.string(), weight: z.number().optional() })).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
})
const SCHEMA = z.toJSONSchema(INPUT, { target: "draft-7", io: "input" }) as Schema

const text = fc.string({ minLength: 1 }).filter((each) => each.trim() !== "" && !/^\s*[[{]/u.test(each))
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0)
const valid = fc.record(
  {
    query: text,
    limit: fc.integer(),
    weight: number,
    explain: fc.boolean(),
    queries: fc.array(text),
    path: fc.oneof(text, fc.array(text)),
    relations: fc.array(fc.record({ from: text, weight: number }, { requiredKeys: ["from"] })),
    metadata: fc.dictionary(text, fc.jsonValue()),
  },
  { requiredKeys: ["query"] },
)
const asStrings = (given: object) =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  )

test("valid arguments stay as they are, and are the same when each comes as a string", () => {
  fc.assert(
    fc.property(valid, (given) => {
      const plain = JSON.parse(JSON.stringify(given))
      expect(readArguments(plain, SCHEMA)).toEqual(plain)
      expect(readArguments(asStrings(plain), SCHEMA)).toEqual(plain)
      expect(INPUT.safeParse(readArguments(asStrings(plain), SCHEMA)).success).toBe(true)
      expect(objectIn(JSON.stringify(plain))).toEqual(plain)
    }),
  )
})

test("any arguments are read without an error, and reading twice changes nothing more", () => {
  const names = fc.oneof(
    fc.constantFrom(...Object.keys(INPUT.shape), "q", "maxResults", "__proto__"),
    fc.string(),
  )
  const value = fc.oneof(
    fc.jsonValue(),
    fc.json(),
    fc.constantFrom("", "true", "1e3", "[", "{", '["a"', "null"),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(names, value)), (entries) => {
      const once = readArguments(Object.fromEntries(entries), SCHEMA)
      expect(readArguments(once, SCHEMA)).toEqual(once)
    }),
  )
})
