import { expect, test } from "bun:test"
import { failureOf, withoutCredentials } from "./git-failure.ts"

test.each([
  [
    "fatal: 'x' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.",
    "'x' does not appear to be a git repository",
  ],
  [
    "remote: Enumerating objects: 3, done.\rremote: Counting objects: 100%\rReceiving objects:  50% (1/2)\rfatal: early EOF",
    "early EOF",
  ],
  [
    "remote: Repository not found.\nfatal: repository 'https://me:pw@host/x/' not found",
    "remote: Repository not found.; repository 'https://host/x/' not found",
  ],
  [
    "ssh: connect to host h port 22: Connection refused\nfatal: Could not read from remote repository.",
    "ssh: connect to host h port 22: Connection refused",
  ],
  ["fatal: \u001b[31mred\u0007", "[31mred"],
  ["", ""],
])("%j", (told, shown) => {
  expect(failureOf(told).trim()).toBe(shown)
})

test("addresses lose what may be a secret", () => {
  expect(withoutCredentials("at https://tok:x@h/a and ssh://git@h, not me@h:x")).toBe(
    "at https://h/a and ssh://h, not me@h:x",
  )
})
