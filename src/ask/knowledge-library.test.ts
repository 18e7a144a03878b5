import { expect, test } from "bun:test"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type OpenKnowledge, openKnowledge } from "./knowledge-library.ts"

const PROJECT = join(import.meta.dir, "..", "..")

/** A program that uses the library from outside of this repository. */
const PROGRAM = `
import { AmanError, openKnowledge, shortestPath, findEntity, type RecallAnswer } from "aman/knowledge"

using knowledge = await openKnowledge({ folder: null })
const { entries } = await knowledge.remember([
  { text: "Payments time out on Mondays", topic: "incidents", entities: ["Checkout"], recorded_at: "2026-01-05" },
  { text: "Batches lock its tables", relations: [{ from: "Checkout", to: "Ledger", type: "writes to" }] },
])
const answer: RecallAnswer = await knowledge.recall("why do payments time out?", { limit: 1 })
const graph = await knowledge.graph()
const path = shortestPath(graph, findEntity(graph, "checkout", null), findEntity(graph, "ledger", null))
const revised = knowledge.entries.revise(entries[0]!.id, { text: "Payments time out on Tuesdays" })
const topics = await knowledge.call({ action: "list", topic: "incidents" })
const refusal = await knowledge.remember({ text: " " }).catch((error: unknown) => error)
console.log(JSON.stringify({
  outcomes: entries.map(({ outcome }) => outcome),
  found: answer.results.map(({ text, recorded_at }) => [text, recorded_at]),
  path: path!.entities.map(({ name }) => name),
  revision: revised.revision,
  total: (topics as { total: number }).total,
  refused: refusal instanceof AmanError && refusal.code,
}))
`

test("a program imports the library by its name and finds what it remembered", () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-library-"))
  try {
    const installed = join(folder, "node_modules", "aman")
    mkdirSync(installed, { recursive: true })
    symlinkSync(join(PROJECT, "src"), join(installed, "src"), "junction")
    copyFileSync(join(PROJECT, "package.json"), join(installed, "package.json"))
    writeFileSync(join(folder, "program.ts"), PROGRAM)
    const { stdout, stderr } = Bun.spawnSync([process.execPath, "program.ts"], {
      cwd: folder,
      env: { ...process.env, AMAN_DATA_DIR: join(folder, "data") },
    })
    expect(stderr.toString()).toBe("")
    expect(JSON.parse(stdout.toString())).toEqual({
      outcomes: ["stored", "stored"],
      found: [["Payments time out on Mondays", "2026-01-05T00:00:00.000Z"]],
      path: ["Checkout", "Ledger"],
      revision: 2,
      total: 1,
      refused: "USAGE",
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test("a purge keeps the computed data of the other entries, and no word of the purged one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-purge-"))
  const place = { folder: null, path: join(folder, "knowledge.db") }
  const kept = (entries: OpenKnowledge["entries"]) =>
    Array.from(entries.computed()?.values() ?? [], (part) => Buffer.from(part).toString("utf16le")).join("\n")
  try {
    const texts = Array.from({ length: 60 }, (_, i) => ({
      text: `Kettle ${i} is of copper and holds ${i} cups.`,
    }))
    using knowledge = await openKnowledge(place)
    const leak = { text: "The kettle of the zeppelin leaks." }
    const { entries } = await knowledge.remember([leak, ...texts])
    const [asked] = (await knowledge.recall("which kettle leaks")).results
    expect(kept(knowledge.entries)).toContain("zeppelin")
    expect(knowledge.entries.purge([entries[0]!.id])).toBe(true)
    expect(asked!.id).toBe(entries[0]!.id)
    expect(kept(knowledge.entries)).toContain("kettl")
    expect(kept(knowledge.entries)).not.toContain("zeppelin")
    using again = await openKnowledge(place)
    const { results } = await again.recall("kettle 7 of copper")
    expect(results[0]!.text).toBe(texts[7]!.text)
    expect(results).toEqual((await knowledge.recall("kettle 7 of copper")).results)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
