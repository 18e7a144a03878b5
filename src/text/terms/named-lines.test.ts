import { expect, test } from "bun:test"
import { namedLines } from "./named-lines.ts"

test.each([
  ["at run (/app/src/a.ts:12:5)", "/app/src/a.ts:12"],
  ["src/a.ts(12,5): error TS2345: no", "src/a.ts:12"],
  ["  --> src/a.rs:12:5", "src/a.rs:12"],
  ["e: file:///home/ci/src/A.kt:12:17 Unresolved reference", "///home/ci/src/A.kt:12"],
  ["\tat org.shop.Cart.total(Cart.java:12)", "Cart.java:12"],
  ["   at Shop.Cart.Total() in C:\\shop\\Cart.cs:line 12", "\\shop\\Cart.cs:12"],
  ["#0 /var/www/Cart.php(12): total()", "/var/www/Cart.php:12"],
  ["PHP Fatal error: no in /var/www/Cart.php on line 12", "/var/www/Cart.php:12"],
  ["\t/go/src/cart.go:12 +0x1d4", "/go/src/cart.go:12"],
  ["see https://github.com/a/b/blob/main/src/a.ts#L12-L20", "//github.com/a/b/blob/main/src/a.ts:12"],
  ["/home/ci/src/a.js\n  12:5  error  'x' is never used", "/home/ci/src/a.js:12"],
  ["version 1.2:3, 10:12:13, example of 2.5 (3)", ""],
])("finds the named line in %j", (text, named) => {
  const found = namedLines(text).map(({ path, line }) => `${path}:${line}`)
  expect(found.join(" ")).toBe(named.replaceAll("\\", "/"))
})

test("puts the frame nearest to an error first, which Python names last", () => {
  const trace =
    'Traceback:\n  File "/a/outer.py", line 3, in run\n    go()\n  File "/a/inner.py", line 7, in go\nValueError'
  expect(namedLines(trace).map(({ path, line }) => `${path}:${line}`)).toEqual([
    "/a/inner.py:7",
    "/a/outer.py:3",
  ])
})
