import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Knowledge } from "../knowledge.ts"
import { Memory } from "./memory.ts"
import { rankedEntries } from "./recall.ts"

test("a question to a store of 2,001 entries leaves the entries that it does not show in the store", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aman-recall-"))
  try {
    const path = join(folder, "knowledge.db")
    const knowledge = new Knowledge({ path, now: Date.now })
    knowledge.remember(Array.from({ length: 2001 }, (_, at) => ({ text: `Queue ${at} holds ${at} jobs.` })))
    using memory = new Memory(knowledge, null)
    expect((await rankedEntries(memory, { query: "queue 7" }, 3)).hits).toHaveLength(3)
    const { isSteady } = await memory.loaded()
    expect(isSteady()).toBe(true)
    using other = new Knowledge({ path, now: Date.now })
    other.remember([{ text: "Queue 2001 holds no jobs." }])
    // Entries that are in memory stay as the index knows them; those in the store may now be newer.
    expect(isSteady()).toBe(false)
  } finally {
    rmSync(folder, { recursive: true })
  }
}, 60_000)
