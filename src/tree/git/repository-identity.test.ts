import { expect, test } from "bun:test"
import { normalRemote } from "./changes.ts"

const SAME = [
  "https://github.com/Owner/Name.git",
  "https://user:secret@GitHub.com/Owner/Name",
  "https://github.com:443/Owner/Name/",
  "git@github.com:Owner/Name.git",
  "github.com:/Owner/Name",
  "ssh://git@github.com:22/Owner/Name.git/",
  "git+ssh://git@github.com/Owner/Name.git",
  "git://github.com/Owner/Name",
]
test.each(SAME)("%s", (url) => expect(normalRemote(url, "/p")).toBe("github.com/Owner/Name"))

const OTHERS: readonly (readonly [string, string | null])[] = [
  ["ssh://git@host:2222/a.git", "host:2222/a"],
  ["git@[::1]:a/b.git", "[::1]/a/b"],
  ["../other.git", "file:/work/other"],
  ["/srv/git/a.git/", "file:/srv/git/a"],
  ["file:///srv/git/a.git", "file:/srv/git/a"],
  ["./a:b", "file:/work/project/a:b"],
  ["", null],
]
test.skipIf(process.platform === "win32").each(OTHERS)("%s is %s", (url, expected) => {
  expect(normalRemote(url, "/work/project")).toBe(expected)
})

test("removes credentials from an address", () => {
  expect(normalRemote("https://x-token:ghp_secret@host.org/a?token=secret", "/p")).toBe("host.org/a")
})
