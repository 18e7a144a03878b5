import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import {
  addressIn,
  fetchAddress,
  folderName,
  formatAddress,
  parseAddress,
  type RepositoryAddress,
  repositoryName,
} from "./address.ts"

const PLACE = { cwd: "/work", home: "/home/me" }
const parse = (text: string) => parseAddress(text, PLACE)
const NONE = { user: null, port: null, ref: null }

describe("an address in each accepted form", () => {
  test.each([
    [
      "https://GitHub.com/Org/my_repo.git",
      { ...NONE, kind: "https", host: "github.com", path: "/Org/my_repo.git" },
    ],
    [
      "https://me@host.org:8443/a/b/",
      { kind: "https", user: "me", host: "host.org", port: 8443, path: "/a/b", ref: null },
    ],
    ["https://host.org:443/a#v1.2", { ...NONE, kind: "https", host: "host.org", path: "/a", ref: "v1.2" }],
    [
      "git@github.com:Org/repo.git",
      { ...NONE, kind: "scp", user: "git", host: "github.com", path: "Org/repo.git" },
    ],
    ["Work_Host:repo#feature/x", { ...NONE, kind: "scp", host: "Work_Host", path: "repo", ref: "feature/x" }],
    [
      "ssh://git@host:2222/~me/repo",
      { kind: "ssh", user: "git", host: "host", port: 2222, path: "/~me/repo", ref: null },
    ],
    ["git://[::1]:9419/x", { ...NONE, kind: "git", host: "[::1]", port: 9419, path: "/x" }],
    ["file:///srv/a%20b%23c", { ...NONE, kind: "file", host: "", path: "/srv/a b#c" }],
    ["/srv/x/../y/", { ...NONE, kind: "file", host: "", path: "/srv/y" }],
    ["~/code/x", { ...NONE, kind: "file", host: "", path: "/home/me/code/x" }],
    ["../x#main", { ...NONE, kind: "file", host: "", path: "/x", ref: "main" }],
  ] as [string, RepositoryAddress][])("%s", (text, address) => {
    expect(parse(text)).toEqual(address)
    expect(parseAddress(formatAddress(address), { cwd: null, home: "" })).toEqual(address)
  })

  test.each([
    ["https://github.com/org/repo.git", "github.com/org/repo"],
    ["git@GitHub.com:org/repo#dev", "github.com/org/repo#dev"],
    ["ssh://host:2222/srv/x", "host:2222/srv/x"],
    ["/srv/x.git", "/srv/x.git"],
  ])("%s has the name %s", (text, name) => {
    expect(repositoryName(parse(text))).toBe(name)
  })
})

describe("refused addresses", () => {
  test.each([
    "",
    "   ",
    "-oProxyCommand=touch x",
    "--upload-pack=touch x",
    "ext::sh -c 'touch x'",
    "fd::3",
    "EXT::sh",
    "::x",
    "http::https://host/x",
    "ftp://host/x",
    "rsync://host/x",
    "ext://host/x",
    "ssh://-oProxyCommand=touch/x",
    "ssh://-host/x",
    "ssh://me@-host/x",
    "-host:x",
    "me@-host:x",
    "host:-x",
    "ssh://-me@host/x",
    "https://user:secret@host/x",
    "https://ghp_0123456789abcdef@host/x",
    "https://x-access-token@host/x",
    "https://:secret@host/x",
    "ssh://git:secret@host/x",
    "git:secret@host:x",
    "https:///x",
    "https://host",
    "https://host/",
    "https://host:99999/x",
    "https://host:/x",
    "https://host/x?token=1",
    "https://host/a/../b",
    "https://ho st/x",
    "https://host/x\ny",
    "https://host/\u202egit",
    "host:x\0y",
    "file://elsewhere/x",
    "https://host/x#",
    "https://host/x#-b",
    "https://host/x#a..b",
    "https://host/x#+a:b",
    "https://host/x#a b",
    "https://host/x#a.lock",
    "[host:22]:x",
    "github.com/org/repo",
    `https://host/${"x".repeat(2000)}`,
  ])("%j", (text) => {
    try {
      parse(text)
      throw new Error("taken")
    } catch (error) {
      expect(error).toMatchObject({ code: "USAGE" })
      expect(String(error)).not.toContain("secret")
      expect(String(error)).not.toContain("ghp_")
    }
  })

  test("refuses a relative folder without a base folder", () => {
    for (const text of ["./x", "x", "x/y"])
      expect(() => parseAddress(text, { cwd: null, home: "" })).toThrow()
  })
})

const part = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.+~%-]{0,11}[A-Za-z0-9_]$/)
const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"))
const folderPath = fc
  .array(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }).filter((name) => {
      return (
        !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/u.test(name) &&
        name.isWellFormed() &&
        name.trim() === name &&
        !/^\.+$/.test(name)
      )
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => `/${parts.join("/")}`)
const common = {
  user: fc.option(
    fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,8}$/).filter((name) => !/^gh[a-z]_/i.test(name)),
  ),
  ref: fc.option(fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,9}$/)),
}
const host = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,9}[A-Za-z0-9]$/)
const address: fc.Arbitrary<RepositoryAddress> = fc.oneof(
  fc.record({
    ...common,
    kind: fc.constantFrom("https" as const, "http" as const, "git" as const),
    host: host.map((name) => name.toLowerCase()),
    port: fc.option(fc.integer({ min: 1000, max: 9000 })),
    path: path.map((text) => `/${text}`),
  }),
  fc.record({
    ...common,
    kind: fc.constant("ssh" as const),
    host,
    port: fc.option(fc.integer({ min: 1000, max: 65_535 })),
    path: path.map((text) => `/${text}`),
  }),
  fc.record({ ...common, kind: fc.constant("scp" as const), host, port: fc.constant(null), path }),
  fc.record({
    kind: fc.constant("file" as const),
    user: fc.constant(null),
    host: fc.constant(""),
    port: fc.constant(null),
    path: folderPath,
    ref: common.ref,
  }),
)

describe("address and folder", () => {
  test("convert to one another without loss", () => {
    fc.assert(
      fc.property(address, (wanted) => {
        const text = formatAddress(wanted)
        fc.pre(Buffer.byteLength(text) < 70)
        expect(parse(text)).toEqual(wanted)
        const name = folderName(text)
        expect(name).toMatch(/^[a-z0-9._@~=,+-]+$/)
        expect(name).not.toMatch(/^[.-]|\.$/)
        expect(addressIn(name)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  test("two addresses never share a folder, on no file system", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (one, other) => {
        const [a, b] = [one.toWellFormed(), other.toWellFormed()]
        expect(folderName(a).toLowerCase() === folderName(b).toLowerCase()).toBe(a === b)
        expect(addressIn(folderName(a))).toBe(a)
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ["git@github.com:Org/my_repo", "git@github.com=3a,org+my_repo"],
    ["https://host:8443/a", "https=3a++host=3a8443+a"],
    ["https://host/a_b", "https=3a++host+a_b"],
    ["https://host/a/b", "https=3a++host+a+b"],
  ])("%s", (text, name) => {
    expect(folderName(text)).toBe(name)
    expect(addressIn(name)).toBe(text)
  })

  test("returns no address for a folder that is not ours", () => {
    for (const name of ["Upper", "a b", "=3A", "x=", "..", "=zz", "a,"]) {
      expect([name, addressIn(name) === null || folderName(addressIn(name)!) === name]).toEqual([name, true])
    }
    expect(addressIn("Upper")).toBeNull()
    expect(addressIn("=3A")).toBeNull()
  })

  test("a path with # is not taken for a branch", () => {
    expect(fetchAddress(parse("file:///srv/c%23"))).toBe("file:///srv/c%23")
  })
})
