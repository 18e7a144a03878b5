import { expect, test } from "bun:test"
import fc from "fast-check"
import { EntityNames } from "./entity-names.ts"
import type { GraphEntity } from "./settled-graph.ts"
import { TextLinks } from "./text-links.ts"

function entity(name: string, project: string | null = null, aliases: readonly string[] = []): GraphEntity {
  const id = `${project}:${name}`
  return { id, ids: [id], project, name, type: "", description: "", aliases, metadata: {} }
}

function linksOf(names: EntityNames): TextLinks {
  const links = new TextLinks()
  links.setNames(names)
  return links
}

test("texts follow the names, names the texts", () => {
  const links = linksOf(new EntityNames([entity("Redis")]))
  links.put("1", null, "redis cluster and postgres")
  expect(links.of("1")).toEqual(["redis"])
  links.setNames(
    new EntityNames([entity("Redis"), entity("Redis Cluster"), entity("PG", null, ["Postgres"])]),
  )
  expect(links.of("1")).toEqual(["redis cluster", "postgres"])
  links.setNames(new EntityNames([entity("Redis")]))
  expect(links.of("1")).toEqual(["redis"])
  links.put("1", null, "nothing")
  expect(links.of("1")).toEqual([])
  links.remove("1")
  expect(links.of("1")).toEqual([])
})

test("a project's names stand in its texts only", () => {
  const links = linksOf(new EntityNames([entity("Gateway", "p")]))
  links.put("1", "p", "the gateway")
  links.put("2", "q", "the gateway")
  links.put("3", null, "the gateway")
  expect(["1", "2", "3"].map((id) => links.of(id).length)).toEqual([1, 0, 0])
})

test("a name that is written otherwise is another where case counts", () => {
  const links = linksOf(new EntityNames([entity("Go")]))
  links.put("1", null, "we Go and GO")
  expect(links.of("1")).toEqual(["go"])
  links.setNames(new EntityNames([entity("gO")]))
  expect(links.of("1")).toEqual([])
  links.setNames(new EntityNames([entity("GO")]))
  expect(links.of("1")).toEqual(["go"])
  // Gone, and back in another form.
  links.put("1", null, "we Go")
  links.setNames(new EntityNames([entity("Go")]))
  links.setNames(new EntityNames([]))
  links.setNames(new EntityNames([entity("GO")]))
  expect(links.of("1")).toEqual([])
})

const NAMES = ["Red", "red", "Red Fox", "RedFox", "Fox", "C", "c", "Fox Den", "山", "山田"]
const names = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(null, "p")), { maxLength: 6 })
const text = fc.array(fc.constantFrom("red", "Fox", "RedFox", "fox_den", "C", "den", "富士山田", "山", "-"), {
  maxLength: 6,
})

test("kept current is the same as made anew", () => {
  const steps = fc.array(fc.oneof(names, text), { maxLength: 8 })
  fc.assert(
    fc.property(steps, fc.constantFrom(" ", "-", ""), (steps, joint) => {
      let known = new EntityNames([])
      const links = linksOf(known)
      const texts = new Map<string, [string | null, string]>()
      for (const [i, step] of steps.entries()) {
        if (step.length > 0 && Array.isArray(step[0])) {
          known = new EntityNames(
            (step as [string, string | null][]).map(([name, project]) => entity(name, project)),
          )
          links.setNames(known)
        } else {
          const project = i % 2 === 0 ? "p" : null
          const joined = step.join(joint)
          texts.set(String(i % 3), [project, joined])
          links.put(String(i % 3), project, joined)
        }
        const anew = linksOf(known)
        for (const [id, [project, joined]] of texts) {
          anew.put(id, project, joined)
          expect(links.of(id)).toEqual(anew.of(id))
        }
      }
    }),
  )
})
