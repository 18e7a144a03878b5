import { afterAll, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { randomFrom } from "../../../test/random.ts"
import { loadConfig } from "../../base/config/load.ts"
import type { GrepQuestion } from "./grep-project.ts"
import { GrepThreads } from "./grep-threads.ts"

const root = mkdtempSync(join(tmpdir(), "aman-grep-threads-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))
writeFileSync(join(root, "a.txt"), "needle\n")
// Lines on which SLOW takes minutes: at each letter, hundreds of the 900 copies of its `[a-z]` take part.
const random = randomFrom(7)
const letters = Array.from({ length: 10_000 }, () => String.fromCharCode(97 + Math.floor(random() * 26)))
const line = letters.join("")
writeFileSync(
  join(root, "b.txt"),
  Array.from({ length: 1200 }, (_, at) => `${line.slice(at)}${line.slice(0, at)}\n`).join(""),
)
mkdirSync(join(root, "one-line"))
writeFileSync(join(root, "one-line", "a.txt"), "needle\n")
writeFileSync(join(root, "one-line", "b.txt"), Array.from({ length: 19 }, (_, at) => line.slice(at)).join(""))
const place = { root, config: loadConfig(root, {}) }
const oneLine = { root: join(root, "one-line"), config: loadConfig(join(root, "one-line"), {}) }
const SLOW = "[a-m][a-z]{900}[0-9]"
const HOUR = 3_600_000

const question = (query: string, mode: "exact" | "regex" = "exact"): GrepQuestion => ({
  ...{ query, mode, ignoreCase: false, wholeWord: false, context: 0, paths: [], languages: [] },
  ...{ limit: 10, offset: 0, tokens: 1000 },
})

test("gives the same answer as a search in this thread", async () => {
  const threads = new GrepThreads()
  const answer = await threads.run(place, question("needle"), { client: {}, timeoutMs: HOUR })
  expect(answer).toMatchObject({ files: 2, matches: 2, searched: 4, complete: true, notices: [] })
  expect(answer.results[0]).toMatchObject({ path: "a.txt", text: "1:needle" })
})

test("keeps code and hint of an error", async () => {
  const threads = new GrepThreads()
  const wrong = threads.run(place, question("a(?=b)", "regex"), { client: {}, timeoutMs: HOUR })
  expect(wrong).rejects.toMatchObject({ code: "USAGE", hint: expect.stringContaining("lookahead") })
  await wrong.catch(() => {})
})

test("stops when its time runs out, and says so", async () => {
  const threads = new GrepThreads()
  const answer = await threads.run(place, question(SLOW, "regex"), { client: {}, timeoutMs: 50 })
  expect(answer.complete).toBe(false)
  expect(answer.notices[0]).toMatch(/^stopped after .* s, at \d/)
}, 60_000)

test("is terminated if a single line takes longer, and keeps what was found before", async () => {
  const threads = new GrepThreads()
  const slow = question("needle|[a-m][a-z]{999}[0-9]", "regex")
  // A busy machine may take a second to start a thread.
  await threads.run(oneLine, question("needle"), { client: {}, timeoutMs: HOUR })
  // The line took 2 s on the fastest machine seen; a thread is terminated a second after its time.
  const answer = await threads.run(oneLine, slow, { client: {}, timeoutMs: 500 })
  expect(answer).toMatchObject({ complete: false, files: 1, matches: 1 })
  expect(answer.results[0]).toMatchObject({ path: "a.txt", text: "1:needle" })
  const after = await threads.run(place, question("needle"), { client: {}, timeoutMs: HOUR })
  expect(after.complete).toBe(true)
}, 60_000)

test("serves another client during a search; the next search of the same client waits", async () => {
  const threads = new GrepThreads()
  const [slow, quick] = [{}, {}]
  const stop = new AbortController()
  const order: string[] = []
  const long = threads
    .run(place, question(SLOW, "regex"), { client: slow, signal: stop.signal, timeoutMs: HOUR })
    .catch(() => order.push("cancelled"))
  const next = threads
    .run(place, question("needle"), { client: slow, timeoutMs: HOUR })
    .then(() => order.push("the same client"))
  await threads
    .run(place, question("needle"), { client: quick, timeoutMs: HOUR })
    .then(() => order.push("another client"))
  stop.abort("no longer wanted")
  await Promise.all([long, next])
  expect(order).toEqual(["another client", "cancelled", "the same client"])
}, 60_000)

test("never starts a search that was cancelled while waiting", async () => {
  const threads = new GrepThreads()
  const client = {}
  const [first, second] = [new AbortController(), new AbortController()]
  const running = threads.run(place, question(SLOW, "regex"), {
    client,
    signal: first.signal,
    timeoutMs: HOUR,
  })
  const waiting = threads.run(place, question(SLOW, "regex"), {
    client,
    signal: second.signal,
    timeoutMs: HOUR,
  })
  second.abort("second")
  expect(await waiting.catch((reason: unknown) => reason)).toBe("second")
  first.abort("first")
  expect(await running.catch((reason: unknown) => reason)).toBe("first")
  const after = await threads.run(place, question("needle"), { client, timeoutMs: HOUR })
  expect(after.complete).toBe(true)
}, 60_000)
