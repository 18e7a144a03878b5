import { expect, test } from "bun:test"
import { noteFigures } from "../figures.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

/** Number of entries per server: 30, or 500 in the soak, which runs eight servers. */
const ENTRIES = Number(process.env["AMAN_TEST_ENTRIES"] ?? 30)
const SERVERS = ENTRIES > 100 ? 8 : 3
const BATCHES = 3

test(
  "concurrent servers and commands lose no entry and store none twice, even if one is killed",
  async () => {
    using space = new Workspace({ "package.json": "{}" })
    const started = performance.now()
    const told = await Promise.all([
      ...Array.from({ length: SERVERS }, (_, n) => tellServer(space, n)),
      ...Array.from({ length: BATCHES }, (_, n) => tellBatch(space, n)),
      tellMortal(space),
    ])
    const expected = new Map(told.flatMap((ids) => [...ids]))
    const listed = await space.json(["memory", "list", "--limit", "100000"])
    const texts = new Map<string, string>(
      listed.entries.map(({ id, text }: { id: string; text: string }) => [id, text]),
    )
    for (const [id, text] of expected) expect(texts.get(id)).toBe(text)
    expect(new Set(texts.values()).size).toBe(texts.size)
    // The entry that the killed server was storing may or may not be there.
    expect([expected.size, expected.size + 1]).toContain(listed.total)
    const rebuilt = await space.json(["memory", "rebuild"])
    expect(rebuilt.differing).toEqual([])
    noteFigures("writing servers", {
      servers: SERVERS,
      entries: listed.total,
      ms: Math.round(performance.now() - started),
    })
  },
  120_000 + SERVERS * ENTRIES * 100,
)

type Told = ReadonlyMap<string, string>

async function tellServer(space: Workspace, n: number): Promise<Told> {
  await using server = await connect(space)
  const ids = new Map<string, string>()
  for (let i = 0; i < ENTRIES; i++) {
    const text = `server ${n} said ${i}`
    const { structuredContent } = await server.call("remember", { text, topic: "all" })
    ids.set(structuredContent.id, text)
  }
  return ids
}

async function tellBatch(space: Workspace, n: number): Promise<Told> {
  const texts = Array.from({ length: ENTRIES }, (_, i) => `batch ${n} holds ${i}`)
  space.write(`batch${n}.jsonl`, texts.map((text) => JSON.stringify({ text, topic: "all" })).join("\n"))
  const { ids } = await space.json(["remember", "--batch", `batch${n}.jsonl`])
  return new Map(texts.map((text, i) => [ids[i], text]))
}

/** Stores entries through a server that is killed meanwhile. */
async function tellMortal(space: Workspace): Promise<Told> {
  const server = await connect(space)
  const ids = new Map<string, string>()
  const pid = (server.client.transport as unknown as { pid: number }).pid
  setTimeout(() => process.kill(pid, "SIGKILL"), 400)
  for (let i = 0; ; i++) {
    const text = `mortal said ${i}`
    try {
      const { structuredContent } = await server.call("remember", { text, topic: "all" })
      ids.set(structuredContent.id, text)
    } catch {
      return ids
    }
  }
}
