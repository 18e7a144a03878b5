import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { symbolRow } from "../../../test/sketches.ts"
import { openStore } from "../../store/index/open.ts"
import type { Store } from "../../store/index/store.ts"
import type { VectorIndex } from "../../vector/port.ts"
import type { SearchOptions } from "../options.ts"
import { parseQuery } from "../query/query.ts"
import { IndexFilesChanged, type SearchSources } from "../sources.ts"
import { findExactNames, fuse, type RankedList, vectorChannel } from "./candidates.ts"

test("a worked example: .35 keyword, .65 vector, k = 60", () => {
  const [a, b, c, d] = [1, 2, 3, 4]
  const scores = fuse(
    [
      { ids: [a, b, c, d], weight: 0.35 },
      { ids: [c, a, d, b], weight: 0.65 },
    ],
    60,
  )
  const rounded = Array.from(scores, ([id, score]) => [id, Math.round(score * 1e6) / 1e6])
  expect(rounded.sort((one, other) => other[1]! - one[1]!)).toEqual([
    [a, 0.016222],
    [c, 0.016211],
    [b, 0.015801],
    [d, 0.015786],
  ])
})

test("a list that lacks an id adds nothing to its score", () => {
  const scores = fuse(
    [
      { ids: [1], weight: 0.5 },
      { ids: [2, 1], weight: 0.5 },
    ],
    60,
  )
  expect(scores.get(1)).toBeCloseTo(0.5 / 61 + 0.5 / 62, 12)
  expect(scores.get(2)).toBeCloseTo(0.5 / 61, 12)
  expect(scores.has(3)).toBe(false)
})

test("no lists give no scores", () => {
  expect(fuse([], 60)).toEqual(new Map())
  expect(fuse([{ ids: [], weight: 1 }], 60)).toEqual(new Map())
})

test("an id in both lists comes before the first of either", () => {
  const scores = fuse(
    [
      { ids: [1, 3], weight: 0.5 },
      { ids: [2, 3], weight: 0.5 },
    ],
    60,
  )
  expect(scores.get(3)!).toBeGreaterThan(Math.max(scores.get(1)!, scores.get(2)!))
})

const list: fc.Arbitrary<RankedList> = fc.record({
  ids: fc.uniqueArray(fc.nat(30), { maxLength: 12 }),
  weight: fc.double({ min: 0.01, max: 1, noNaN: true }),
})

test("a single list keeps its order, and the order of the lists does not matter", () => {
  fc.assert(
    fc.property(list, (only) => {
      const scores = fuse([only], 60)
      expect([...scores.keys()].sort((a, b) => scores.get(b)! - scores.get(a)!)).toEqual([...only.ids])
    }),
  )
  fc.assert(
    fc.property(list, list, (one, other) => {
      const forth = fuse([one, other], 60)
      const back = fuse([other, one], 60)
      expect(back.size).toBe(forth.size)
      for (const [id, score] of forth) expect(back.get(id)).toBeCloseTo(score, 12)
    }),
  )
})

test("vectors whose file was altered while the query was embedded are not read", async () => {
  const steps: string[] = []
  const vectors = new Proxy({ size: 1 } as VectorIndex, {
    get: (target, name) => {
      if (name === "size") return target.size
      steps.push(`read ${String(name)}`)
      return () => []
    },
  })
  const embedder = {
    embedQuery: async () => {
      steps.push("embedded")
      return Float32Array.of(1)
    },
  }
  const afterWait = () => {
    throw new IndexFilesChanged()
  }
  const sources = { vectors, embedder, afterWait } as unknown as SearchSources
  await expect(vectorChannel(sources, "words", {} as SearchOptions)).rejects.toBeInstanceOf(IndexFilesChanged)
  expect(steps).toEqual(["embedded"])
})

let folder: string
let store: Store

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aman-names-"))
  store = openStore(join(folder, "index.db"))
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true })
})

const find = (query: string) => findExactNames(store, parseQuery(query).names)

test("a name is found by its exact spelling, and by its letters in any spelling", () => {
  store.transaction(() =>
    store.symbols.add([
      symbolRow(1, "loadUser"),
      symbolRow(2, "load_user", { ordinal: 3 }),
      symbolRow(3, "x"),
    ]),
  )
  const found = find("loadUser")
  expect(Object.fromEntries(found.exact)).toEqual({ 1: 1 })
  expect(Object.fromEntries(found.folded)).toEqual({ 1: 1, 2: 1 })
  expect([...found.exactChunks.get(1)!]).toEqual([0])
  expect([...found.foldedChunks.get(2)!]).toEqual([3])
})

test("a heading or a data file's key of that name is no definition", () => {
  store.transaction(() =>
    store.symbols.add([symbolRow(1, "retries"), symbolRow(2, "retries", { kind: "key" })]),
  )
  const found = find("retries")
  expect([...found.exact.keys()]).toEqual([1])
  expect([...found.folded.keys()]).toEqual([1, 2])
})

test("a file that defines one of two names has half of them", () => {
  store.transaction(() =>
    store.symbols.add([
      symbolRow(1, "loadUser"),
      symbolRow(2, "loadUser"),
      symbolRow(2, "saveUser", { index: 1 }),
    ]),
  )
  expect(Object.fromEntries(find("does loadUser call saveUser").exact)).toEqual({ 1: 0.5, 2: 1 })
})

test("a name defined many times in one file counts once", () => {
  store.transaction(() => store.symbols.add([0, 1, 2].map((ordinal) => symbolRow(1, "init", { ordinal }))))
  const found = find("init")
  expect(Object.fromEntries(found.exact)).toEqual({ 1: 1 })
  expect([...found.exactChunks.get(1)!]).toEqual([0, 1, 2])
})

test("a qualified name finds the method of that owner, and namesakes of others", () => {
  store.transaction(() =>
    store.symbols.add([
      symbolRow(1, "greet", { kind: "method", owner: "models.User" }),
      symbolRow(2, "greet", { kind: "method", owner: "Robot" }),
    ]),
  )
  for (const query of ["User.greet", "User::greet", "User->greet", "models\\User\\greet"])
    expect([...find(query).exact.keys()]).toEqual([1, 2])
})

test("when the query also contains the owner's name, only the owner's method is exact", () => {
  store.transaction(() =>
    store.symbols.add([
      symbolRow(1, "greet", { kind: "method", owner: "User" }),
      symbolRow(2, "greet", { kind: "method", owner: "Robot" }),
      symbolRow(3, "User", { kind: "class" }),
    ]),
  )
  const found = find("does the User of User.greet matter")
  expect(Object.fromEntries(found.exact)).toEqual({ 1: 0.5, 3: 0.5 })
  expect(Object.fromEntries(found.folded)).toEqual({ 1: 0.5, 2: 0.5, 3: 0.5 })
})

test("a query without names finds no definitions", () => {
  store.transaction(() => store.symbols.add([symbolRow(1, "find")]))
  const found = find("where do we find things")
  expect(found.exact.size + found.folded.size).toBe(0)
})
