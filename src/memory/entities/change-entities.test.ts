import { expect, test } from "bun:test"
import { reviseEntity, tablesOf } from "../../../test/knowledge-history.ts"
import { Knowledge } from "../knowledge.ts"
import { deleteEntity, makeEntity, mergeEntities, relate, unrelate } from "./change-entities.ts"
import { GraphIndex } from "./graph-index.ts"

function openKnowledge(): Knowledge {
  return new Knowledge({ path: ":memory:", now: () => Date.parse("2026-11-21T20:00:00.000Z") })
}

/** "name (aliases): texts" and "from type to weight", as a reader sees them. */
function seen(knowledge: Knowledge): string[] {
  const index = new GraphIndex()
  const changes = knowledge.changedSince(0)
  index.apply(changes)
  const graph = index.graph()
  const texts = new Map(changes.entries.map(({ id, text }) => [id, text]))
  const nameOf = (id: string): string => graph.entities[graph.numbers.get(id)!]!.name
  return [
    ...graph.entities.map(({ project, name, aliases }, i) => {
      const mentioned = graph.mentionedBy[i]!.map((entry) => texts.get(graph.entries[entry]!)!)
      return `${project ?? ""}:${name} (${aliases.toSorted().join(", ")}): ${mentioned.toSorted().join(", ")}`
    }),
    ...graph.relations.map(
      ({ from, to, relation, weight }) => `${nameOf(from)} ${relation} ${nameOf(to)} ${weight}`,
    ),
  ].sort()
}

test("entities are created, revised, and found by their former names", () => {
  using knowledge = openKnowledge()
  knowledge.write((writer) =>
    makeEntity(writer, null, { name: " Payment  Gateway ", type: "service", aliases: ["PGW"] }),
  )
  knowledge.remember([{ text: "the payment gateway is down" }, { text: "PGW is up" }])
  knowledge.write((writer) => reviseEntity(writer, null, "pgw", { name: "Checkout", description: "pays" }))
  expect(seen(knowledge)).toEqual([
    ":Checkout (PGW, Payment Gateway): PGW is up, the payment gateway is down",
  ])
  knowledge.write((writer) => makeEntity(writer, null, { name: "checkout", aliases: ["till"] }))
  expect(seen(knowledge)[0]).toStartWith(":Checkout (PGW, Payment Gateway, till):")
})

test("a project's entity differs from the entity of all projects with the same name", () => {
  using knowledge = openKnowledge()
  knowledge.remember([
    { text: "one", entities: ["Gateway"] },
    { text: "two", entities: ["Gateway"], project: "p" },
  ])
  expect(seen(knowledge)).toEqual([":Gateway (): one, two"])
  knowledge.write((writer) => makeEntity(writer, "p", { name: "gateway" }))
  expect(seen(knowledge)).toEqual([":Gateway (): one", "p:gateway (): two"])
  expect(() => knowledge.write((writer) => mergeEntities(writer, "p", "gateway", "gateway"))).toThrow(
    "same entity",
  )
})

test("a merge keeps links, relations and aliases, and drops a relation between the two", () => {
  using knowledge = openKnowledge()
  knowledge.remember([
    { text: "Postgres is slow", relations: [{ from: "api", to: "Postgres", type: "uses", weight: 0.4 }] },
    { text: "the old one", entities: ["PostgreSQL"] },
    { text: "x", relations: [{ from: "api", to: "PostgreSQL", type: "Uses", weight: 0.9 }] },
    { text: "y", relations: [{ from: "PostgreSQL", to: "Postgres", type: "is", weight: 1 }] },
  ])
  knowledge.write((writer) => mergeEntities(writer, null, "PostgreSQL", "postgres"))
  const after = [
    ":Postgres (PostgreSQL): Postgres is slow, the old one",
    ":api (): ",
    "api uses Postgres 0.9",
  ]
  expect(seen(knowledge).map((line) => line.replace("Uses", "uses"))).toEqual(after)
  // A mention by the former name still belongs to this entity.
  knowledge.remember([{ text: "z", entities: ["postgresql"] }])
  expect(seen(knowledge)[0]).toBe(":Postgres (PostgreSQL): Postgres is slow, the old one, z")
  expect(knowledge.rebuild().differing).toEqual([])
})

test("an entity of all projects is not merged into a project's entity", () => {
  using knowledge = openKnowledge()
  knowledge.write((writer) => makeEntity(writer, null, { name: "Redis" }))
  knowledge.write((writer) => makeEntity(writer, "p", { name: "Cache" }))
  expect(() => knowledge.write((writer) => mergeEntities(writer, "p", "Redis", "Cache"))).toThrow(
    expect.objectContaining({ hint: "merge Cache into Redis" }),
  )
  knowledge.write((writer) => mergeEntities(writer, "p", "Cache", "Redis"))
  expect(seen(knowledge)).toEqual([":Redis (Cache): "])
})

test("deleting an entity deletes its relations; mentioning it again does not bring them back", () => {
  using knowledge = openKnowledge()
  knowledge.remember([{ text: "Redis caches", relations: [{ from: "api", to: "Redis", type: "uses" }] }])
  expect(knowledge.write((writer) => deleteEntity(writer, null, "redis"))).toBe(1)
  expect(seen(knowledge)).toEqual([":api (): "])
  expect(() => knowledge.write((writer) => deleteEntity(writer, null, "redis"))).toThrow('no entity "redis"')
  knowledge.remember([{ text: "again", entities: ["Redis"] }])
  expect(seen(knowledge)).toEqual([":Redis (): Redis caches, again", ":api (): "])
  knowledge.write((writer) => relate(writer, null, { from: "api", to: "redis", type: "uses", weight: 0.5 }))
  expect(seen(knowledge)).toContain("api uses Redis 0.5")
})

test("relations are deleted by type", () => {
  using knowledge = openKnowledge()
  const relations = ["uses", "owns", "knows"].map((type) => ({ from: "a", to: "b", type }))
  knowledge.remember([{ text: "x", relations }])
  expect(knowledge.write((writer) => unrelate(writer, null, { from: "A", to: "B", type: "OWNS" }))).toBe(1)
  expect(() =>
    knowledge.write((writer) => unrelate(writer, null, { from: "b", to: "a", type: "uses" })),
  ).toThrow("no uses from b to a")
  expect(seen(knowledge).filter((line) => line.startsWith("a "))).toEqual(["a knows b 1", "a uses b 1"])
})

test("an empty name is refused", () => {
  using knowledge = openKnowledge()
  expect(() => knowledge.write((writer) => makeEntity(writer, null, { name: "  " }))).toThrow("needs a name")
})

test("two entities renamed to the same name in two stores become one when the stores exchange events", () => {
  using one = openKnowledge()
  using other = openKnowledge()
  one.remember([{ text: "first", entities: ["Alpha"] }])
  other.remember([{ text: "second", entities: ["Beta"] }])
  one.write((writer) => reviseEntity(writer, null, "Alpha", { name: "Gamma" }))
  other.write((writer) => reviseEntity(writer, null, "Beta", { name: "gamma" }))
  one.appendEvents(other.events())
  other.appendEvents(one.events())
  expect(seen(one)).toEqual(seen(other))
  expect(seen(one)).toHaveLength(1)
  // They stay one entity when it is renamed.
  one.write((writer) => reviseEntity(writer, null, "gamma", { name: "Delta" }))
  expect(seen(one)).toHaveLength(1)
  expect(seen(one)[0]).toEndWith(": first, second")
})

test("purging the only entry with two entities removes their rows and that of their relation", () => {
  using knowledge = openKnowledge()
  const relations = [{ from: "Ann", to: "shop", type: "keeps" }]
  const [stored] = knowledge.remember([{ text: "Ann keeps the shop.", relations }])
  expect(tablesOf(knowledge)).toMatchObject({ entities: { length: 2 }, relations: { length: 1 } })
  knowledge.purge([stored!.id])
  expect(tablesOf(knowledge)).toMatchObject({ entries: [], entities: [], relations: [] })
})

test("an entity is checked for credentials in the stored form; force accepts them", () => {
  using knowledge = openKnowledge()
  const secret = ["gh", "p_", "Zk3vQ9xT1mB7nL5pW2rY8cD4fG6hJ0sAeU12"].join("")
  const hidden = `<private>${secret}</private>`
  const make = (given: object, force = false) =>
    knowledge.write((writer) => makeEntity(writer, null, { name: "Vault", ...given }, { force }))
  for (const given of [
    { name: secret },
    { type: secret },
    { description: secret },
    { aliases: [secret] },
    { metadata: { a: secret } },
  ])
    expect(() => make(given)).toThrow("the entity looks like a GitHub token")
  make({
    name: `Vault ${hidden}`,
    type: `service${hidden}`,
    description: `has ${hidden}`,
    aliases: [hidden, `safe${hidden}`],
    metadata: { a: hidden },
  })
  expect(JSON.stringify(tablesOf(knowledge))).not.toContain(secret)
  expect(tablesOf(knowledge).entities).toMatchObject([
    { name: "Vault", type: "service", description: "has ", aliases: ["safe"], metadata: { a: "" } },
  ])
  make({ description: secret }, true)
  expect(JSON.stringify(tablesOf(knowledge))).toContain(secret)
})
