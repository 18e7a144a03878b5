import { expect, test } from "bun:test"
import fc from "fast-check"
import { graphEntry } from "../../../../test/graph-rows.ts"
import type { GraphEntity } from "../settle-entities.ts"
import { EntityNames } from "./entity-names.ts"
import { readLinks, writeLinks } from "./stored-links.ts"
import { TextLinks } from "./text-links.ts"

type Named = readonly [name: string, project: string | null]

function namesOf(all: readonly Named[]): EntityNames {
  return new EntityNames(
    all.map(([name, project], i): GraphEntity => {
      const id = String(i)
      return { id, ids: [id], project, name, type: "", description: "", aliases: [], metadata: {} }
    }),
  )
}

type Texts = readonly (readonly [text: string, project: string | null])[]

function linksOf(names: readonly Named[], texts: Texts): TextLinks {
  const links = new TextLinks()
  links.setNames(namesOf(names))
  for (const [i, [text, project]] of texts.entries()) links.put(String(i), project, text)
  return links
}

const NAMES = ["Red", "red", "Red Fox", "RedFox", "Fox", "C", "c", "Fox Den", "山", "山田"]
const scope = fc.constantFrom(null, "p")
const names = fc.array(fc.tuple(fc.constantFrom(...NAMES), scope), { maxLength: 6 })
const text = fc
  .array(fc.constantFrom("red", "Fox", "RedFox", "fox_den", "C", "den", "富士山田", "山", "-"), {
    maxLength: 6,
  })
  .map((words) => words.join(" "))
const texts = fc.array(fc.tuple(text, scope), { maxLength: 5 })

test("links stored for other names and for some of the texts save reading, and the result is the same", () => {
  fc.assert(
    fc.property(names, texts, names, texts, (before, known, now, others) => {
      const kept = readLinks(writeLinks(linksOf(before, known).found()))!
      const all = [...others, ...known.slice(1)]
      const links = new TextLinks()
      const entries = all.map(([text, project], i) => graphEntry(String(i), text, { project }))
      const restored = new Set(links.restore(kept, entries))
      links.setNames(namesOf(now))
      for (const { id, project, text } of entries) if (!restored.has(id)) links.put(id, project, text)
      const fresh = linksOf(now, all)
      for (const { id } of entries) expect(links.of(id).toSorted()).toEqual(fresh.of(id).toSorted())
      expect(restored.size).toBeGreaterThanOrEqual(known.slice(1).length)
      // The restored links must also follow later changes of the names.
      links.setNames(namesOf(before))
      const back = linksOf(before, all)
      for (const { id } of entries) expect(links.of(id).toSorted()).toEqual(back.of(id).toSorted())
    }),
    { numRuns: 300 },
  )
})

test("with the same names no text is read again", () => {
  const named: readonly Named[] = [["Red Fox", null]]
  const kept = readLinks(writeLinks(linksOf(named, [["a red fox", null]]).found()))!
  const links = new TextLinks()
  expect(links.restore(kept, [graphEntry("1", "a red fox")])).toEqual(["1"])
  links.setNames(namesOf(named))
  expect([links.read, links.of("1")]).toEqual([0, ["red fox"]])
  expect(links.inText("the Red Fox", null)).toEqual(["red fox"])
})

test("links of another version and damaged links are not used", () => {
  const written = writeLinks(linksOf([["Red", null]], [["red", null]]).found())
  expect(readLinks(written)).not.toBeNull()
  expect(readLinks(written.replace('"format":1', '"format":0'))).toBeNull()
  expect(readLinks(written.slice(0, -1))).toBeNull()
})
