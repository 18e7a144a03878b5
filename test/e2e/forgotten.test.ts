import { afterEach, expect, test } from "bun:test"
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

const spaces: Workspace[] = []
afterEach(() => {
  for (const space of spaces.splice(0)) space[Symbol.dispose]()
})

/**
 * A word of its own for each place from which a text could come back. All end with the same letters, because a packed list of
 * words stores what a word has in common with the one before it only once, but writes every end.
 */
const marked = (place: string) => `${place}zebraq`

/**
 * Files below the folder that contain a marked word, in UTF-8 or UTF-16. Nothing else has to be opened: aman compresses none
 * of these files. In the project's own index the word of its code does not count.
 */
function filesWith(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(folder, name)
    if (!statSync(path).isFile()) return false
    const bytes = readFileSync(path, "latin1").toLowerCase()
    const text = name.includes(".aman/") ? bytes.replaceAll(marked("code"), "") : bytes
    return ["zebraq", [..."zebraq"].join("\0")].some((word) => text.includes(word))
  })
}

test("no byte of purged entries is left in any file, whatever door they came through", async () => {
  const space = new Workspace({ "package.json": "{}", "a.ts": `export const ${marked("code")} = 1\n` })
  const other = new Workspace({ "package.json": "{}" })
  spaces.push(space, other)
  const settings = { AMAN_HOOKS_DEADLINE: "30s", AMAN_UI_RECORD_CALLS: "true" }
  const env = { ...settings, AMAN_LOG: "debug" }
  const run = async (args: readonly string[], stdin?: string) => {
    const { code, stdout, stderr } = await space.run(args, { env, ...(stdin !== undefined && { stdin }) })
    expect([args.join(" "), code, code === 0 ? "" : stderr]).toEqual([args.join(" "), 0, ""])
    return stdout
  }
  const keep = ["--entity", "Ines", "--relation", "Ines > opens > Gate"]
  const { id: kept } = await space.json(["remember", ...keep, "--", "Ines opens the gate"])

  // Every door: arguments, a batch, imports of two formats, an agent.
  const fields = [
    "--topic",
    marked("topic"),
    "--tag",
    marked("tag"),
    "--key",
    marked("key"),
    "--source",
    "a.ts:1",
  ]
  const relation = `${marked("shop")} > uses > ${marked("depot")}`
  const graph = ["--entity", marked("thing"), "--entity", "Ines", "--relation", relation]
  await run(["remember", ...fields, ...graph, "--", `The ${marked("first")} text`])
  await run(["memory", "fix", marked("key"), `The ${marked("second")} text`])
  const batch = {
    ...{ text: `A ${marked("batch")}`, author: marked("author"), session: marked("session") },
    metadata: { [marked("name")]: marked("value") },
    relations: [
      { from: marked("cellar"), to: "Gate", type: marked("below") },
      // Names that are parts of words of the other entry.
      { from: "In", to: "Ate", type: marked("inside") },
    ],
  }
  // Stored at the same instant, and not purged.
  const beside = { text: "Ines locks the gate", relations: [{ from: "Ines", to: "Gate", type: "locks" }] }
  const both = `${JSON.stringify(batch)}\n${JSON.stringify(beside)}`
  const stored = JSON.parse(await run(["remember", "--json", "--batch", "-"], both)).ids
  const row = { id: "m", memory: `From ${marked("elsewhere")}`, user_id: "u" }
  const files = {
    "mem0.json": JSON.stringify({ results: [row] }),
    "rota.md": `# Rota\n\nThe ${marked("rota")}\n`,
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(space.dir, name), text)
    await run(["memory", "import", join(space.dir, name)])
    rmSync(join(space.dir, name))
  }
  await using server = await connect(space, { env })
  await server.call("remember", { text: `The ${marked("agent")} is told`, entities: [marked("person")] })
  await server.call("recall", { query: `where is ${marked("agent")}` })
  const prompt = { session_id: "s", cwd: space.project, prompt: `Where is ${marked("agent")}?` }
  await run(["hook", "prompt-submit"], JSON.stringify(prompt))
  // Earlier versions kept there what a hook proposed to remember.
  mkdirSync(join(space.home, ".local/share/aman/hooks"), { recursive: true })
  writeFileSync(
    join(space.home, ".local/share/aman/hooks/proposals.jsonl"),
    `{"text":"${marked("decided")}"}\n`,
  )
  await run(["recall", "--", marked("second")])
  space.write("a.ts", "export const other = 1\n")

  // Copies: the shared folder, a second machine that synchronises, and what `memory recover` keeps of a damaged store.
  const [folder, theirs] = [space, other].map(({ project }) => join(project, ".aman-memory")) as [
    string,
    string,
  ]
  const bring = () => cpSync(folder, theirs, { recursive: true, force: true })
  await run(["memory", "share", "on"])
  bring()
  await other.json(["memory", "share", "on"])
  await other.json(["memory", "sync", "--accept"])
  await other.json(["recall", marked("second")])
  const store = join(space.home, ".local/share/aman/knowledge.db")
  for (const end of [".damaged-20260101000000", ".reading-wal", ".recovered"]) cpSync(store, store + end)
  // Not copies of the store: they stay.
  const foreign = [".damaged-20250101000000", ".damaged-notes"].map((end) => store + end)
  mkdirSync(foreign[0]!)
  writeFileSync(foreign[1]!, "")
  const places = filesWith(space.dir).join(" ")
  for (const place of [".aman-memory/", "knowledge.db", ".damaged-", "proposals.jsonl"])
    expect(places).toContain(place)
  expect(filesWith(other.home)).not.toEqual([])

  const { entries } = await space.json(["memory", "list", "--limit", "100"])
  const ids = entries
    .map(({ id }: { id: string }) => id)
    .filter((id: string) => ![kept, stored[1]].includes(id))
  expect(ids.length).toBe(5)
  const said = await run(["memory", "purge", ...ids])
  expect(said).toContain(
    ".aman-memory/ still has their text; to erase it there too: aman memory sync. Commits",
  )
  expect(said).toContain(".damaged-20260101000000")
  expect(filesWith(space.dir).filter((name) => !name.includes(".aman-memory"))).toEqual([])
  expect(foreign.map((path) => existsSync(path))).toEqual([true, true])
  await run(["memory", "sync"])
  bring()
  await other.json(["memory", "sync", "--accept-purges"])
  await run(["memory", "export", join(space.dir, "all.jsonl"), "--everything"])
  await run(["memory", "export", join(space.dir, "notes.md")])
  expect([filesWith(space.dir), filesWith(other.dir)]).toEqual([[], []])
  expect(existsSync(join(space.home, ".local/share/aman/calls/calls.jsonl"))).toBe(true)

  // What another entry mentions stays, and an erased name can be used again.
  const names = async (machine: Workspace) =>
    (await machine.json(["memory", "entities"])).entities.map(({ name }: { name: string }) => name).sort()
  expect([await names(space), await names(other)]).toEqual([
    ["Gate", "Ines"],
    ["Gate", "Ines"],
  ])
  await run(["remember", "--entity", marked("thing"), "--", "It is back"])
  expect(await names(space)).toContain(marked("thing"))
  const { relations } = await space.json(["memory", "related", "Gate"])
  expect(relations.map(({ type }: { type: string }) => type).sort()).toEqual(["locks", "opens"])
}, 60_000)

test("a run leaves no name or comment of a deleted file in the project's index", async () => {
  const space = new Workspace({
    "src/lamp.ts": `/** The ${marked("lamp")} is off. */\nexport const ${marked("switch")} = 1\n`,
  })
  spaces.push(space)
  for (let at = 0; at < 40; at++) space.write(`src/part${at}.ts`, `export const part${at} = ${at}\n`)
  await space.run(["index"])
  const index = join(space.project, ".aman")
  expect(filesWith(index)).toContain("index.db")
  rmSync(join(space.project, "src/lamp.ts"))
  await space.run(["index"])
  expect(filesWith(index)).toEqual([])
}, 60_000)
