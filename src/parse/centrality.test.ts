import { expect, test } from "bun:test"
import { centralityOf, FileLinks, type LinkedFile } from "./centrality.ts"
import { definedNames, localsAmong } from "./definitions.ts"
import type { CodeSymbol } from "./parsed-file.ts"
import { useHash } from "./references/use-code.ts"

type Given = { defines?: string[]; imports?: string[]; uses?: string[]; language?: string; isAside?: boolean }

function ranked(given: Readonly<Record<string, Given>>) {
  const all = Object.entries(given)
  const files = all.map(
    ([path, { defines = [], imports = [], language = "typescript", isAside = false }]): LinkedFile => {
      return { path, language, package: null, imports, defines: hashes(defines), isAside }
    },
  )
  const { files: ranks, names } = centralityOf(files, () => all.map(([, { uses = [] }]) => hashes(uses)))
  const named = new Map(names.map(({ file, hash, rank }) => [`${all[file]![0]} ${hash}`, rank]))
  return {
    of: (path: string) => ranks[all.findIndex(([known]) => known === path)]!,
    by: (path: string, name: string) => named.get(`${path} ${useHash(name)}`) ?? null,
  }
}

function hashes(names: readonly string[]): Uint32Array {
  return Uint32Array.from(names, useHash).sort()
}

test("returns no ranks and no names for no files", () => {
  expect(new FileLinks([]).table.hashes).toHaveLength(0)
  expect(ranked({})).toBeDefined()
})

test("ranks files high that others use directly or indirectly, and reports the names they are used by", () => {
  const { of, by } = ranked({
    "a.ts": { imports: ["./base"], uses: ["open"] },
    "b.ts": { imports: ["./base"], uses: ["open"] },
    "c.ts": { imports: ["./base"], uses: ["open", "close"] },
    "base.ts": { defines: ["open", "close"], imports: ["./deep"], uses: ["read"] },
    "deep.ts": { defines: ["read"] },
    "alone.ts": { defines: ["nothing"] },
  })
  expect(of("base.ts")).toBeGreaterThan(of("a.ts"))
  expect(of("deep.ts")).toBeGreaterThan(of("alone.ts"))
  expect(of("a.ts")).toBe(of("b.ts"))
  expect(of("alone.ts")).toBeLessThan(0)
  expect(by("base.ts", "open")).toBeGreaterThan(by("base.ts", "close")!)
  expect(by("alone.ts", "nothing")).toBeNull()
})

test("counts a use for the imported one of several files with the name, and a local without an import for none", () => {
  const { of, by } = ranked({
    "web/use.ts": { imports: ["../lib/one"], uses: ["open", "kind"] },
    "lib/one.ts": { defines: ["open"] },
    "lib/two.ts": { defines: ["open"] },
    "lib/kinds.ts": { defines: ["kind"] },
  })
  expect(of("lib/one.ts")).toBeGreaterThan(of("lib/two.ts"))
  expect(of("lib/two.ts")).toBe(of("lib/kinds.ts"))
  expect(by("lib/kinds.ts", "kind")).toBeNull()
})

test("ignores uses of a file's own names, of names in other languages and of names in tests", () => {
  const { of, by } = ranked({
    "a.ts": { imports: ["./b"], defines: ["open"], uses: ["open"] },
    "b.ts": { defines: ["open"] },
    "c.py": { language: "python", imports: ["b"], uses: ["open"] },
    "d.rb": { language: "ruby", uses: ["help"] },
    "help.rb": { language: "ruby", defines: ["help"], isAside: true },
  })
  expect(of("b.ts")).toBe(of("a.ts"))
  expect(of("help.rb")).toBeGreaterThan(of("b.ts"))
  expect(by("help.rb", "help")).toBeNull()
})

test("gives the same ranks when each file's data is overwritten by the next", () => {
  const given = ["a", "b", "c", "d"].map((name, at, all) => ({
    path: `${name}.rb`,
    defines: hashes([`make_${name}`, `drop_${name}`]),
    uses: hashes(all.slice(0, at).map((other) => `make_${other}`)),
  }))
  const fileOf = ({ path, defines }: (typeof given)[number]): LinkedFile => {
    return { path, language: "ruby", package: null, imports: [], defines, isAside: false }
  }
  const held = centralityOf(given.map(fileOf), () => given.map(({ uses }) => uses))
  const room = new Uint32Array(4)
  const inRoom = (values: Uint32Array) => {
    room.fill(0).set(values)
    return room.subarray(0, values.length)
  }
  function* files(): Generator<LinkedFile> {
    for (const each of given) yield { ...fileOf(each), defines: inRoom(each.defines) }
  }
  function* used(): Generator<Uint32Array> {
    for (const { uses } of given) yield inRoom(uses)
  }
  expect(centralityOf(files(), used)).toEqual(held)
  expect(held.names.map(({ file }) => file)).toEqual([0, 1, 2])
})

test("returns no ranks when there are no files", () => {
  expect(centralityOf([], () => [])).toEqual({ files: new Int32Array(), names: [] })
})

test("does not export symbols inside functions", () => {
  const symbol = (name: string, kind: CodeSymbol["kind"], startLine: number, endLine: number): CodeSymbol => {
    return { name, kind, startLine, endLine, signature: name, owner: null, doc: null }
  }
  const symbols = [
    symbol("outer", "function", 1, 9),
    symbol("inner", "function", 2, 4),
    symbol("local", "constant", 3, 3),
    symbol("field", "field", 12, 12),
    symbol("LIMIT", "constant", 11, 11),
  ]
  const locals = localsAmong(symbols)
  expect([...locals].map(({ name }) => name)).toEqual(["inner", "local"])
  const bytes = definedNames(symbols, locals)
  expect([...new Uint32Array(bytes.buffer)]).toEqual([...hashes(["outer", "LIMIT"])])
})
