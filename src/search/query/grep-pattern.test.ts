import { expect, test } from "bun:test"
import fc from "fast-check"
import { cpuTime } from "../../../test/cpu-time.ts"
import { readPattern } from "./grep-pattern.ts"

/** The alternatives of a pattern; a look-up of a definition as "= name". */
function alternativesOf(query: string): string[] | undefined {
  return readPattern(query)?.alternatives.map(({ name, text }) => (name === null ? text : `= ${name}`))
}

test.each<[string, string[]]>([
  ["class Foo\\b|def bar|_baz", ["= Foo", "= bar", "_baz"]],
  ["^\\s*def get_user\\(", ["= get_user"]],
  ["func \\(.*\\) Name\\b", ["= Name"]],
  ["func (\\(\\w+ \\*?\\w+\\) )?flushRaw", ["= flushRaw"]],
  ["(class|struct|interface) Widget", ["= Widget"]],
  ["type X =", ["= X"]],
  ["class Window", ["= Window"]],
  ["const\\s+maxRetries", ["= maxRetries"]],
  ["get_\\w+_url", ["get_ _url"]],
  ["def get_\\w+", ["def get_"]],
  ["(foo|bar)_baz", ["foo_baz", "bar_baz"]],
  ["foo\\.bar\\(", ["foo.bar("]],
  ["addUser\\|removeUser", ["addUser", "removeUser"]],
  ["string|number", ["string", "number"]],
  ["raise \\w+Error\\(", ["raise Error("]],
  ["import .* from", ["import from"]],
  ["self\\.x\\s*=", ["self.x ="]],
  ["VERSION =", ["VERSION ="]],
  ["config.timeout === null", ["config.timeout === null"]],
  ["retries := 3", ["retries := 3"]],
  ["@app.route", ["@app.route"]],
])("%s asks for %p", (query, expected) => {
  expect(alternativesOf(query)).toEqual(expected)
})

test.each([
  "App\\Support\\Str",
  "\\App\\Models\\User",
  "src\\services\\user.ts",
  "how does foo.* work",
  "cat x | grep y",
  "a || b",
  "C++ templates",
  "user@example.org",
  "how does x = y",
  "== null",
  "user$",
  "*.ts",
  "https?://",
  "foo() returns null?",
  "users/[id]/page",
  "Fix crash (#12)",
  "**bold** text",
  "class of the user",
  '"exact phrase" a|b',
  "first\\.line\nsecond",
  "\\.",
])("%p is no pattern", (query) => {
  expect(readPattern(query)).toBeNull()
})

test("literal code matches with other blanks and not inside words, and an assignment is no comparison", () => {
  const matches = (query: string, line: string) => new RegExp(readPattern(query)!.regex, "u").test(line)
  for (const line of ["VERSION = 1", "VERSION=1", "export const VERSION ="])
    expect(matches("VERSION =", line)).toBe(true)
  for (const line of ["VERSION == 1", "MAX_VERSION = 1", "VERSIONS = 1"])
    expect(matches("VERSION =", line)).toBe(false)
  expect(matches("a[0] += b", "  a[0]+=b")).toBe(true)
})

test("reads any text in time linear in its length", () => {
  const piece = fc.constantFrom("(", ")", "[", "]", "|", "\\", ".*", "+", "?", "{2,}", "ab", " ", "^", "(?:")
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 120 }), (pieces) => {
      const pattern = readPattern(`a\\b${pieces.join("")}`)
      expect(pattern?.alternatives.length ?? 0).toBeLessThanOrEqual(6)
    }),
  )
  const nested = `${"(a|b)".repeat(90)}\\b`
  const before = cpuTime()
  readPattern(nested)
  expect(cpuTime() - before).toBeLessThan(200)
})
