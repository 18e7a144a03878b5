import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { entityRow, relationRow } from "../../../test/graph-rows.ts"
import { settleEntities, settleRelations } from "./entities.ts"

describe("entities", () => {
  test("a merge keeps names and aliases, and adds fields that the first one lacks", () => {
    const { entities, byId } = settleEntities([
      entityRow("1", "Postgres", { aliases: ["PG"] }),
      entityRow("2", "PostgreSQL", { aliases: ["pg", "psql"], mergedInto: "1", description: "a database" }),
    ])
    expect(entities).toMatchObject([
      { id: "1", ids: ["1", "2"], aliases: ["PG", "PostgreSQL", "psql"], description: "a database" },
    ])
    expect(byId.get("2")).toBe(entities[0]!)
  })

  test("a chain of merges ends in its last entity; a cycle in its entity with the smallest id", () => {
    const chain = [
      entityRow("1", "a", { mergedInto: "2" }),
      entityRow("2", "b", { mergedInto: "3" }),
      entityRow("3", "c"),
    ]
    expect(settleEntities(chain).entities).toMatchObject([{ id: "3", aliases: ["a", "b"] }])
    const ring = [
      entityRow("1", "a", { mergedInto: "3" }),
      entityRow("2", "b", { mergedInto: "3" }),
      entityRow("3", "c", { mergedInto: "2" }),
    ]
    expect(settleEntities(ring).entities).toMatchObject([
      { id: "2", ids: ["1", "2", "3"], aliases: ["a", "c"] },
    ])
  })

  test("two entities of one name in one scope become the first; one of another scope stays separate", () => {
    const { entities } = settleEntities([
      entityRow("2", "redis", { type: "tool" }),
      entityRow("1", "Redis"),
      entityRow("3", "REDIS", { project: "p" }),
    ])
    expect(entities).toMatchObject([
      { id: "1", name: "Redis", type: "tool", ids: ["1", "2"], aliases: [] },
      { id: "3", project: "p" },
    ])
  })

  test("an entity merged into a deleted one is gone; merged into an unknown one it stays", () => {
    const rows = [
      entityRow("1", "a", { mergedInto: "2" }),
      entityRow("2", "b", { deletedAt: "2026-01-01T00:00:00.000Z" }),
      entityRow("3", "c", { mergedInto: "9" }),
    ]
    expect(settleEntities(rows).entities.map(({ id }) => id)).toEqual(["3"])
  })
})

describe("relations", () => {
  const settled = settleEntities([
    entityRow("1", "a"),
    entityRow("2", "b"),
    entityRow("3", "also b", { mergedInto: "2" }),
    entityRow("4", "gone", { deletedAt: "2026-01-01T00:00:00.000Z" }),
  ])

  test("follow merges; parallel ones become one with the largest weight", () => {
    const rows = [
      relationRow("1", "2", { weight: 0.2 }),
      relationRow("1", "3", { weight: 0.7, relation: "Uses" }),
      relationRow("1", "3", { id: "x", relation: "knows" }),
    ]
    expect(settleRelations(rows, settled)).toEqual([
      { from: "1", to: "2", relation: "uses", weight: 0.7, ids: ["1-2", "1-3"] },
      { from: "1", to: "2", relation: "knows", weight: 1, ids: ["x"] },
    ])
  })

  test("without both ends, deleted, or from an entity to itself are dropped", () => {
    const rows = [
      relationRow("1", "4"),
      relationRow("9", "1"),
      relationRow("2", "3"),
      relationRow("1", "2", { deletedAt: "2026-01-01T00:00:00.000Z" }),
    ]
    expect(settleRelations(rows, settled)).toEqual([])
  })

  test("have weights from 0 to 1", () => {
    const rows = [relationRow("1", "2", { weight: 7 }), relationRow("2", "1", { weight: -1 })]
    expect(settleRelations(rows, settled).map(({ weight }) => weight)).toEqual([1, 0])
  })
})

const IDS = ["1", "2", "3", "4", "5", "6"]
const rows = fc.record({
  entities: fc.uniqueArray(
    fc.record({
      id: fc.constantFrom(...IDS),
      name: fc.constantFrom("a", "A", "b", "c"),
      project: fc.constantFrom(null, "p"),
      mergedInto: fc.constantFrom(null, ...IDS, "9"),
      deletedAt: fc.constantFrom(null, null, null, "2026-01-01T00:00:00.000Z"),
    }),
    { selector: ({ id }) => id },
  ),
  relations: fc.array(fc.tuple(fc.constantFrom(...IDS, "9"), fc.constantFrom(...IDS, "9"), fc.double())),
})

test("rows in any order give no dangling relation, no self-relation and no duplicate name", () => {
  fc.assert(
    fc.property(rows, fc.func(fc.integer()), ({ entities, relations }, order) => {
      const folded = entities.map(({ id, name, ...rest }) => entityRow(id, name, rest))
      const edges = relations.map(([from, to, weight], i) => relationRow(from, to, { id: String(i), weight }))
      const settled = settleEntities(folded)
      const kept = settleRelations(edges, settled)
      const shuffled = [...folded].sort((one, other) => order(one.id) - order(other.id))
      expect(settleEntities(shuffled)).toEqual(settled)
      expect(settleRelations(edges.reverse(), settled)).toEqual(kept)

      const ids = settled.entities.flatMap((one) => one.ids)
      expect(new Set(ids).size).toBe(ids.length)
      expect(settled.entities.every(({ id, ids }) => ids.includes(id))).toBe(true)
      expect(kept.filter(({ from, to }) => from === to)).toEqual([])
      const alive = new Set(settled.entities.map(({ id }) => id))
      expect(kept.filter(({ from, to }) => !(alive.has(from) && alive.has(to)))).toEqual([])
    }),
  )
})
