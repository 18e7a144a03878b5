import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  custom,
  explainMistakes,
  list,
  number as numberField,
  objectIn,
  objects,
  readArguments,
  required,
  schemaOf,
  text as textField,
  toggle,
  whole,
} from "./fields.ts"

const anything = { text: "" }
const FIELDS = {
  query: required(textField(1000, anything)),
  limit: whole([Number.MIN_SAFE_INTEGER], anything),
  weight: numberField([-Number.MAX_VALUE, Number.MAX_VALUE], anything),
  explain: toggle(anything),
  queries: list({ ...anything, shows: "lists" }),
  path: list(anything),
  skipped: custom({ anyOf: [{ type: "boolean" }, { type: "string" }] }, anything),
  relations: objects(
    {
      from: required(textField(1000, anything)),
      weight: numberField([-Number.MAX_VALUE, Number.MAX_VALUE], anything),
    },
    100,
    anything,
  ),
  metadata: custom({ type: "object", additionalProperties: {} }, anything),
}
const SCHEMA = schemaOf(FIELDS)

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
      expect(explainMistakes("tool", SCHEMA, readArguments(asStrings(plain), SCHEMA))).toBeNull()
      expect(objectIn(JSON.stringify(plain))).toEqual(plain)
    }),
  )
})

test("any arguments are read without an error, and reading twice changes nothing more", () => {
  const names = fc.oneof(fc.constantFrom(...Object.keys(FIELDS), "q", "maxResults", "__proto__"), fc.string())
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
