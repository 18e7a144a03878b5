import { expect, test } from "bun:test"
import { withoutPrivate } from "./check-entry.ts"

test.each([
  ["a <private>b</private> c", "a  c"],
  ["a <PRIVATE>b</Private> c", "a  c"],
  ["a <private reason='x' >b</private > c", "a  c"],
  ["a < private >b< / private> c", "a  c"],
  ["a <private>b <private>c</private> d</private> e", "a  e"],
  ["a <private>b", "a "],
  ["a <private", "a "],
  ["a <private why=", "a "],
  ["a <private>b</private", "a "],
  ["a </private> b", "a  b"],
  ["a <private/> b", "a "],
  ["<private>\nall\n</private>", ""],
  [
    "a <privately>b</privately> <private-key>c</private-key>",
    "a <privately>b</privately> <private-key>c</private-key>",
  ],
  ["List<private> b", "List"],
])("of %p is kept %p", (text, kept) => {
  expect(withoutPrivate(text)).toBe(kept)
})
