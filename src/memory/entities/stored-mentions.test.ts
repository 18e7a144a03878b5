import { expect, test } from "bun:test"
import fc from "fast-check"
import { entityRow, graphEntry, relationRow } from "../../../test/graph-rows.ts"
import type { RecallDocument } from "../recall/index/analyse.ts"
import { FrozenDocuments, freezeDocuments, type ImageParts } from "../recall/index/frozen.ts"
import { type GraphChanges, type GraphEntry, GraphIndex, type GraphSource } from "./graph-index.ts"

/** A store of entries, and of the parts that a graph stores for them. */
class Store {
  readonly entries = new Map<string, GraphEntry>()
  parts: ImageParts | null = null
  /** Ids of the entries whose texts were read. */
  read: string[] = []

  /** The entries with these ids as those of a stored recall index. */
  source(ids: readonly string[]): GraphSource {
    const found = ids.map((id) => ({ id, project: this.entries.get(id)?.project ?? null }) as RecallDocument)
    const documents = new FrozenDocuments(freezeDocuments(found), () => "")
    const entries = { name: ids.join(), documents }
    const texts: GraphSource["texts"] = (beginnings, wanted) => {
      const found = [...this.entries.values()].filter(
        ({ id, text }) =>
          beginnings === null ||
          wanted.includes(id) ||
          beginnings.some((beginning) => text.toLowerCase().includes(beginning)),
      )
      this.read.push(...found.map(({ id }) => id))
      return found
    }
    return { entries, texts, store: (parts) => (this.parts = parts) }
  }

  apply({ entries = [], purged = [] }: GraphChanges): void {
    for (const entry of entries) this.entries.set(entry.id, entry)
    for (const id of purged) this.entries.delete(id)
    for (const { id, deletedAt } of this.entries.values()) if (deletedAt !== null) this.entries.delete(id)
  }
}

const entities = [entityRow("e1", "Red Fox"), entityRow("e2", "Den")]
const stored = [
  graphEntry("m1", "the red fox", { entities: ["Den"] }),
  graphEntry("m2", "a den for cubs"),
  graphEntry("m3", "nothing of interest"),
]

function storeOf(all: readonly GraphEntry[]): Store {
  const store = new Store()
  store.apply({ entries: all })
  const graph = new GraphIndex()
  graph.apply({ entities })
  graph.apply({ entries: all })
  graph.reopen(store.source(all.map(({ id }) => id)))
  return store
}

function opened(store: Store, ids = stored.map(({ id }) => id)): GraphIndex {
  store.read = []
  const graph = new GraphIndex()
  graph.apply({ entities })
  graph.open(store.source(ids), store.parts)
  return graph
}

const scoresOf = (graph: GraphIndex) => [...graph.scores([["m1", 1]], "cubs of the red fox", null)]

test("a stored graph answers without reading a text", () => {
  const store = storeOf(stored)
  const anew = new GraphIndex()
  anew.apply({ entities, entries: stored })
  expect(scoresOf(opened(store))).toEqual(scoresOf(anew))
  expect(scoresOf(anew).length).toBe(2)
  expect(store.read).toEqual([])
})

test("after a new name only the texts that may contain it are read", () => {
  const store = storeOf(stored)
  const graph = opened(store)
  graph.apply({ entities: [entityRow("e3", "Cubs")] })
  const { entries, mentionedBy } = graph.graph()
  expect(mentionedBy.map((some) => some.map((entry) => entries[entry]))).toEqual([
    ["m1"],
    ["m1", "m2"],
    ["m2"],
  ])
  expect(store.read).toEqual(["m2"])
})

test("the names read after a change are stored for the next process", () => {
  const store = storeOf(stored)
  const more = [entityRow("e3", "Cubs")]
  const first = new GraphIndex()
  first.apply({ entities: [...entities, ...more] })
  first.open(store.source(["m1", "m2", "m3"]), store.parts)
  const scores = scoresOf(first)
  store.read = []
  const second = new GraphIndex()
  second.apply({ entities: [...entities, ...more] })
  second.open(store.source(["m1", "m2", "m3"]), store.parts)
  expect(scoresOf(second)).toEqual(scores)
  expect(store.read).toEqual([])
})

test("parts that are damaged or belong to another index are not used", () => {
  for (const name of ["graph.head", "graph.mentions.numbers.16"]) {
    const store = storeOf(stored)
    const expected = scoresOf(opened(store))
    const part = store.parts!.get(name)!.slice()
    part[part.length - 2]! ^= 1
    store.parts = new Map([...store.parts!, [name, part]])
    expect(scoresOf(opened(store))).toEqual(expected)
    expect(store.read).toEqual(["m1", "m2", "m3"])
  }
  const store = storeOf(stored)
  scoresOf(opened(store, ["m3", "m2", "m1"]))
  expect(store.read).toEqual(["m1", "m2", "m3"])
})

const ids = fc.constantFrom("1", "2", "3", "4")
const scopes = fc.constantFrom(null, "p")
const names = fc.constantFrom("Red", "RED", "Red Fox", "Fox", "Den")
const gone = fc.constantFrom(null, null, "2026-01-01T00:00:00.000Z")
const entity = fc
  .record({ project: scopes, mergedInto: fc.constantFrom(null, "e1", "e2"), deletedAt: gone })
  .chain((rest) => fc.tuple(ids, names).map(([id, name]) => entityRow(`e${id}`, name, rest)))
const entry = fc
  .record({ project: scopes, entities: fc.array(names, { maxLength: 1 }), deletedAt: gone })
  .chain((rest) =>
    fc
      .tuple(ids, fc.array(names, { maxLength: 3 }))
      .map(([id, words]) => graphEntry(`m${id}`, words.join(" "), rest)),
  )
const relation = fc
  .tuple(ids, ids, ids)
  .map(([id, from, to]) => relationRow(`e${from}`, `e${to}`, { id: `r${id}` }))
const change: fc.Arbitrary<GraphChanges> = fc.oneof(
  entity.map((one) => ({ entities: [one] })),
  entry.map((one) => ({ entries: [one] })),
  fc.tuple(entity, entry).map(([one, other]) => ({ entities: [one], entries: [other] })),
  relation.map((one) => ({ relations: [one] })),
  ids.map((id) => ({ purged: [`m${id}`] })),
)

/** Entities and relations as the store would return them after these changes. */
function rowsAfter(changes: readonly GraphChanges[]) {
  const entities = new Map(changes.flatMap((one) => [...(one.entities ?? [])].map((row) => [row.id, row])))
  const relations = new Map(changes.flatMap((one) => [...(one.relations ?? [])].map((row) => [row.id, row])))
  return { entities: [...entities.values()], relations: [...relations.values()] }
}

function mentions(graph: GraphIndex): string[][] {
  const { entries, mentionedBy } = graph.graph()
  return mentionedBy.map((some) => some.map((entry) => entries[entry]!).sort())
}

/** A graph of these entries that was stored, and its store. */
function storedAfter(changes: readonly GraphChanges[], asks: boolean): { store: Store; source: GraphSource } {
  const store = new Store()
  const graph = new GraphIndex()
  for (const one of changes) {
    store.apply(one)
    graph.apply(one)
  }
  if (asks) graph.graph()
  const source = store.source([...store.entries.keys()])
  graph.reopen(source)
  return { store, source }
}

test("a graph stored, opened by another process and changed equals one built at once", () => {
  const phase = fc.array(change, { maxLength: 8 })
  fc.assert(
    fc.property(phase, phase, phase, fc.boolean(), (first, second, third, asks) => {
      const { store, source } = storedAfter(first, asks)
      // Another process, after some changes that are not in the stored index.
      for (const one of second) store.apply(one)
      const late = new GraphIndex()
      late.apply(rowsAfter([...first, ...second]))
      late.open(source, store.parts)
      const touched = new Set(
        second.flatMap(({ entries = [], purged = [] }) => [...[...entries].map(({ id }) => id), ...purged]),
      )
      late.apply({
        entries: [...store.entries.values()].filter(({ id }) => touched.has(id)),
        purged: [...touched].filter((id) => !store.entries.has(id)),
      })
      for (const [i, one] of third.entries()) {
        store.apply(one)
        late.apply(one)
        if (asks && i % 2 === 0) late.scores([["m1", 1]], "Fox", "p")
      }
      const anew = new GraphIndex()
      anew.apply({ ...rowsAfter([...first, ...second, ...third]), entries: store.entries.values() })
      const [scores, expected] = [late, anew].map((each) => each.scores([["m1", 1]], "Fox", "p"))
      expect([...scores!.keys()].sort()).toEqual([...expected!.keys()].sort())
      for (const [id, score] of expected!) expect(scores!.get(id)).toBeCloseTo(score, 5)
      expect(mentions(late)).toEqual(mentions(anew))
    }),
    { numRuns: 500 },
  )
})
