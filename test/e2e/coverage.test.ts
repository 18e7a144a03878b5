import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { commit, git, write } from "../git-repository.ts"
import { type Connection, connect } from "./connect.ts"
import { EDITED, FILES, NOTES } from "./coverage-notes.ts"
import { type Call, readRows } from "./coverage-table.ts"
import { Workspace } from "./harness.ts"

/**
 * Number of tools of each product in docs/coverage.md. Several rows may be about one tool, such as `search:
 * limit`.
 */
const TOOLS = { AmanMCP: 6, "Memory MCP": 20, Amaranthine: 41, RELIC: 2, "Context Engine": 20 }
const bySeed = readRows(readFileSync(join(import.meta.dir, "../../docs/coverage.md"), "utf8"))
const rows = [...bySeed].flatMap(([seed, own]) =>
  own.map((row) => ({ ...row, title: `${seed}: ${row.tool}` })),
)

/** A store with the notes, a server over it, and their ids by name. */
type Store = {
  readonly space: Workspace
  readonly server: Connection
  readonly ids: ReadonlyMap<string, string>
}

let asked: Store
let typed: Store

beforeAll(async () => {
  ;[asked, typed] = await Promise.all([newStore(), newStore()])
})

afterAll(async () => {
  for (const { space, server } of [asked, typed]) {
    await server[Symbol.asyncDispose]()
    space[Symbol.dispose]()
  }
})

test("every tool of the other products has a row", () => {
  const told = [...bySeed].map(([seed, own]) => [
    seed,
    new Set(own.map(({ tool }) => tool.split(":")[0])).size,
  ])
  expect(Object.fromEntries(told)).toEqual(TOOLS)
  expect(rows.filter(({ mcp }) => mcp === null).map(({ tool }) => tool)).toEqual([
    "index_project",
    "delete_project",
    "compact_log",
    "migrate",
    "rebuild_index",
    "_reload",
    "clear_index",
  ])
})

describe("by MCP", () => {
  for (const { title, mcp, holds, afterwards } of rows) {
    if (mcp === null) continue
    test(title, async () => {
      expectAll(await call(asked, mcp), holds, asked)
      if (afterwards !== null) expectAll(await call(asked, afterwards.call), afterwards.holds, asked)
    })
  }
})

describe("by command", () => {
  for (const { title, command, holds, afterwards } of rows) {
    test(title, async () => {
      const [first, ...rest] = command.map((word) => named(word, typed))
      const { code, stdout, stderr } = await typed.space.run([first!, "--json", ...rest])
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expectAll(stdout, holds, typed)
      if (afterwards !== null) expectAll(await call(typed, afterwards.call), afterwards.holds, typed)
    })
  }
})

async function newStore(): Promise<Store> {
  const space = new Workspace(FILES)
  const names = Object.keys(NOTES)
  const lines = names.map((name) => JSON.stringify(NOTES[name])).join("\n")
  const { ids } = await space.json(["remember", "--batch", "-"], { stdin: lines })
  for (const [path, text] of Object.entries(EDITED)) space.write(path, text)
  for (const other of ["other", "third"]) space.write(`../${other}/main.ts`, "export const answer = 42\n")
  const lending = join(space.dir, "lending")
  mkdirSync(lending)
  git(lending, "init", "-q", "--template=", "-b", "main")
  write(lending, "src/lend.ts", "export function lend(book: string): string {\n  return book\n}\n")
  commit(lending, "all there is")
  await space.json(["repos", "add", lending])
  await Promise.all([
    space.json(["index"]),
    space.json(["index", "--root", "../other"]),
    space.json(["index", "--root", "../third"]),
  ])
  const server = await connect(space)
  return { space, server, ids: new Map(names.map((name, i) => [name, ids[i] as string])) }
}

async function call({ server, ...store }: Omit<Store, "space">, { name, args }: Call): Promise<string> {
  const { structuredContent, isError, content } = await server.call(
    name,
    JSON.parse(named(JSON.stringify(args), store)) as object,
  )
  if (isError) throw new Error(`${name}: ${content[0]?.text}`)
  return JSON.stringify(structuredContent)
}

function named(text: string, { ids }: Pick<Store, "ids">): string {
  return text.replace(/«(\w+)»/gu, (_, name: string) => {
    const id = ids.get(name)
    if (id === undefined) throw new Error(`no note is called ${name}`)
    return id
  })
}

function expectAll(answer: string, holds: readonly string[], store: Store): void {
  const plain = answer.replaceAll("\n", "")
  for (const part of holds) expect(plain.replace(/": /g, '":')).toContain(named(part, store))
}
