import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { symbolRow } from "../../../test/sketches.ts"
import { IndexFilesChanged, type SearchSources } from "../../index/open/sources.ts"
import type { VectorIndex } from "../../index/vector/port.ts"
import { openStore } from "../../store/index/open.ts"
import type { Store } from "../../store/index/store.ts"
import type { SearchOptions } from "../options.ts"
import { parseQuery } from "../query/query.ts"
import { findExactNames, vectorChannel } from "./candidates.ts"

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
