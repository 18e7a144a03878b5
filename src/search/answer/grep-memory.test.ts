import { afterAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { loadConfig } from "../../base/config/load.ts"
import { FROM_ROOT } from "../../index/index.ts"
import { GrepMemories, GrepMemory } from "./grep-memory.ts"
import { type GrepQuestion, grepAnswer } from "./grep-project.ts"

const root = mkdtempSync(join(tmpdir(), "aman-grep-memory-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const project = { root, config: loadConfig(root, {}), reader: () => null, pathRule: FROM_ROOT }
const LONG_AGO = new Date("2020-01-01")

/** Writes a file with a time at which it cannot be confused with a later version. */
function write(path: string, text: string | Uint8Array, time = LONG_AGO): void {
  mkdirSync(join(root, path, ".."), { recursive: true })
  writeFileSync(join(root, path), text)
  utimesSync(join(root, path), time, time)
}

const words = ["Straße", "kelvin", "needle", "NEEDLE", "né", "日本語のコード", "ſet", "K", "a😀b", "x"]
for (const [at, word] of words.entries()) write(`src/${at}.txt`, `first ${word}(1)\nlast ${at}`)
write("src/binary.txt", new Uint8Array([0, 1, 2, 0, 110, 101, 101, 100, 108, 101]))
write("src/long.txt", `${"é".repeat(70_000)}😀needle${"z".repeat(70_000)}`)
write("src/empty.txt", "")

const question = (query: string, more: Partial<GrepQuestion> = {}): GrepQuestion => ({
  ...{ query, mode: "exact", ignoreCase: false, wholeWord: false, context: 0, paths: [], languages: [] },
  ...{ limit: 20, offset: 0, tokens: 5000, ...more },
})

/** The answer of a search that remembers, which must be that of one that reads everything. */
async function found(memory: GrepMemory, asked: GrepQuestion) {
  const search = async (limits: { memory?: GrepMemory }) => {
    const { took_ms: _, ...answer } = await grepAnswer(project, asked, { timeoutMs: 60_000, ...limits })
    return answer
  }
  const answer = await search({ memory })
  expect(answer).toEqual(await search({}))
  return answer.results.map(({ path }) => path)
}

test("finds what a search finds that reads every file, whatever it remembers", async () => {
  for (const memory of [new GrepMemory(), new GrepMemory(true)])
    for (const query of [
      "needle",
      ...words,
      "(1)",
      "st 1",
      "n",
      "",
      "needlez",
      "eedle(1)\r",
      "é😀n",
      "absent",
    ])
      for (const ignoreCase of [false, true])
        for (const more of [{}, { wholeWord: true }, { languages: ["python"] }, { paths: ["src/*.txt"] }])
          await found(memory, question(query, { ignoreCase, ...more }))
})

test("finds what a search finds that reads every file, for regular expressions whatever they need", async () => {
  const memory = new GrepMemory(true)
  for (const query of [
    ...["need\\w+\\(", "(?i)needle", "(?i:k)elvin", "absent|needle", "(absent|kelvin)\\(1", "(né|ſet)+\\("],
    ...["x?needle", "(needle)*", "last [0-9]", "日本.のコ", "a(😀|x)b", "^first", "[KK]", "absent.*needle"],
  ])
    for (const ignoreCase of [false, true])
      await found(memory, question(query, { mode: "regex", ignoreCase }))
})

test("reads a file again once it has changed, is new or is asked for alone", async () => {
  const memory = new GrepMemory()
  expect(await found(memory, question("quetzal"))).toEqual([])
  write("src/0.txt", "a quetzal", new Date("2021-01-01"))
  write("src/new.txt", "a quetzal")
  expect(await found(memory, question("quetzal"))).toEqual(["src/0.txt", "src/new.txt"])
  write("src/1.txt", "a quetzal", new Date("2021-01-01"))
  expect(await found(memory, question("quetzal", { paths: ["src/1.txt"] }))).toEqual(["src/1.txt"])
  rmSync(join(root, "src/new.txt"))
  expect(await found(memory, question("quetzal"))).toEqual(["src/0.txt", "src/1.txt"])
})

test("never trusts the time of a file that was written just before it was read", async () => {
  const memory = new GrepMemory()
  const time = new Date()
  write("src/2.txt", "an ocelot here", time)
  expect(await found(memory, question("jaguar"))).toEqual([])
  write("src/2.txt", "a jaguar there", time)
  expect(await found(memory, question("jaguar"))).toEqual(["src/2.txt"])
})

test("keeps what it knows of the first roots when those searched in turn exceed its limit", async () => {
  const memories = new GrepMemories(20_000)
  const task = { isFixed: false, question: question("absent"), timeoutMs: 60_000 }
  const search = (below: string) => {
    const place = { ...project, root: join(root, below) }
    return memories.use({ ...place, ...task, shared: new SharedArrayBuffer(0) }, (memory) =>
      grepAnswer(place, task.question, { timeoutMs: task.timeoutMs, memory }),
    )
  }
  for (let at = 0; at < 8; at++) write(`roots/${at}/a.txt`, "abcdefg ".repeat(2000))
  const searchAll = async () => {
    for (let at = 0; at < 8; at++) await search(`roots/${at}`)
    return [...memories.held.values()].map(({ memory }) => memory)
  }
  const known = await searchAll()
  const bytes = known.reduce((sum, memory) => sum + memory.bytes, 0)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThanOrEqual(20_000)
  expect((await searchAll()).every((memory) => known.includes(memory))).toBe(true)
})

test("says of which file lines beyond the limit for one file are left out", async () => {
  write("many/a.txt", "shift\n".repeat(10_001))
  const asked = question("shift", { paths: ["many/"], tokens: 500 })
  const { matches, notices } = await grepAnswer(project, asked, { timeoutMs: 60_000 })
  expect([matches, notices]).toEqual([
    10_000,
    [expect.stringContaining("many/a.txt: lines after the first 10000")],
  ])
})
