import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { noteFigures } from "../../test/figures.ts"
import { randomFrom } from "../../test/random.ts"
import { Knowledge } from "./knowledge.ts"

/** The soak test runs eight writers with 500 entries each. */
const ENTRIES = Number(process.env["AMAN_TEST_ENTRIES"] ?? 20)
const WRITERS = ENTRIES > 100 ? 8 : 3
const SEED = Number(process.env["AMAN_TEST_SEED"] ?? 20_261_121)
/** Max lifetime of a process before it is killed, and the share by which it grows with each kill, because a busy machine takes longer to start one. */
const [LONGEST_LIFE_MS, GROWTH] = [800, 0.1]
const PROGRAM = join(import.meta.dir, "..", "..", "test", "knowledge-writer.ts")

test(
  "of what several processes remember at once, killed at any moment, nothing acknowledged is lost and nothing is there twice",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "aman-writers-"))
    const path = join(folder, "knowledge.db")
    const random = randomFrom(SEED)
    const started = performance.now()
    try {
      const tallies = await Promise.all(
        Array.from({ length: WRITERS }, (_, writer) =>
          writeAll(path, writer, writer % 2 === 0 ? null : random),
        ),
      )
      const acknowledged = new Map(tallies.flatMap(({ ids }) => [...ids]))
      using knowledge = new Knowledge({ path, now: Date.now })
      const { entries } = knowledge.list()
      expect(entries.length).toBe(WRITERS * ENTRIES)
      expect(new Set(entries.map(({ text }) => text)).size).toBe(WRITERS * ENTRIES)
      const byId = new Map(entries.map(({ id, text }) => [id, text]))
      for (const [id, text] of acknowledged) expect(byId.get(id)).toBe(text)
      expect(knowledge.rebuild()).toMatchObject({ entries: WRITERS * ENTRIES, differing: [] })
      noteFigures("writers", {
        writers: WRITERS,
        entries: entries.length,
        kills: tallies.reduce((sum, { kills }) => sum + kills, 0),
        ms: Math.round(performance.now() - started),
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
  60_000 + WRITERS * ENTRIES * 100,
)

type Tally = { readonly ids: Map<string, string>; kills: number }

/** After each kill, continues with the entries that were not acknowledged. */
async function writeAll(path: string, writer: number, random: (() => number) | null): Promise<Tally> {
  const tally: Tally = { ids: new Map(), kills: 0 }
  let next = 0
  while (next < ENTRIES) {
    const child = Bun.spawn([process.execPath, PROGRAM, path, `${writer}`, `${next}`, `${ENTRIES}`], {
      stdout: "pipe",
      stderr: "inherit",
    })
    const longest = LONGEST_LIFE_MS * (1 + GROWTH * tally.kills)
    const timer = random === null ? null : setTimeout(() => child.kill("SIGKILL"), random() * longest)
    for (const line of (await child.stdout.text()).split("\n").slice(0, -1)) {
      const [i, id] = line.split(" ") as [string, string]
      tally.ids.set(id, `entry ${i} of writer ${writer}`)
      next = Number(i) + 1
    }
    if ((await child.exited) === 0) return tally
    if (timer === null) throw new Error(`writer ${writer} failed`)
    clearTimeout(timer)
    tally.kills++
  }
  return tally
}
