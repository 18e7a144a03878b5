import { expect, test } from "bun:test"
import { isAllowedHost, isAllowedOrigin, Rate } from "./guard.ts"

test("allows a burst of four times the rate, then the rate per second, separately for each name", () => {
  const rate = new Rate(2)
  const taken = (name: string, now: number) => {
    let count = 0
    while (count < 100 && rate.allows(name, now)) count++
    return count
  }
  expect(taken("a", 0)).toBe(8)
  expect(taken("b", 0)).toBe(8)
  expect(taken("a", 500)).toBe(1)
  expect(taken("a", 1500)).toBe(2)
  expect(taken("a", 3_600_000)).toBe(8)
  expect(Array.from({ length: 1000 }, () => new Rate(0).allows("a", 0))).not.toContain(false)
})

const OWN = { host: "127.0.0.1", also: [] }
const OPEN = { host: "0.0.0.0", also: ["aman.example.com"] }
const NAMED = { host: "box.local", also: [] }

test.each([
  ["localhost:80", OWN, true],
  ["[::1]", OWN, true],
  ["127.0.0.1:7473", OWN, true],
  ["127.0.0.1.", OWN, true],
  ["0x7f.1", OWN, true],
  ["10.0.0.1", OWN, false],
  ["example.com", OWN, false],
  ["localhost.example.com", OWN, false],
  ["user:pass@localhost", OWN, false],
  ["localhost/../x", OWN, false],
  ["localhost#@example.com", OWN, false],
  ["", OWN, false],
  [null, OWN, false],
  ["10.0.0.1:7473", OPEN, true],
  ["[fe80::1]:7473", OPEN, true],
  ["AMAN.example.com", OPEN, true],
  ["example.com", OPEN, false],
  ["box.local:1", NAMED, true],
  ["other.local", NAMED, false],
] as const)("host %p, listening at %p: %p", (header, allowed, expected) => {
  expect(isAllowedHost(header, allowed)).toBe(expected)
})

test.each([
  [null, OWN, true],
  ["http://localhost:3000", OWN, true],
  ["https://[::1]", OWN, true],
  ["null", OWN, false],
  ["chrome-extension://abc", OWN, false],
  ["http://example.com", OWN, false],
  ["http://10.0.0.1", OPEN, false],
  ["https://aman.example.com", OPEN, true],
  ["http://box.local", NAMED, true],
] as const)("origin %p, listening at %p: %p", (header, allowed, expected) => {
  expect(isAllowedOrigin(header, allowed)).toBe(expected)
})
