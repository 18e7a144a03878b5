import { expect, test } from "bun:test"
import { existsSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

const FILES = {
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "target": "esnext" }, "include": ["*.ts"] }',
  "shop.ts": "export class Shop {\n  open() {}\n}\n\nexport class Door {\n  open() {}\n}\n",
  "main.ts":
    'import { Door, Shop } from "./shop"\n\nexport function start(shop: Shop) {\n  shop.open()\n}\n\nexport function other() {\n  Object.values({ a: new Door() })[0]!.open()\n}\n',
}
const ROOT = join(import.meta.dir, "../..")
const SERVER = join(import.meta.dir, "../fixtures/language-servers/server.ts")
const TSC = join(ROOT, "node_modules/typescript/bin/tsc")
const isWindows = process.platform === "win32"

type Place = { path: string; line: number; confidence: number }
type Answer = { references: Place[]; notices: string[] }
const placesOf = ({ references }: Answer) =>
  references.map(({ path, line, confidence }) => `${path}:${line} ${confidence}`)

/** Asks for the references of Door.open with this command as the language server. */
function ask(space: Workspace, command: string, env: Record<string, string> = {}): Promise<Answer> {
  return space.json(["symbol", "Door.open", "--references", "--exact"], {
    env: { AMAN_SYMBOLS_SERVERS: `typescript=${command}`, ...env },
  })
}

test.skipIf(!existsSync(TSC) || isWindows)(
  "--exact lists uses that only a language server knows (the one of TypeScript)",
  async () => {
    using space = new Workspace(FILES)
    const own = await space.json(["symbol", "Door.open", "--references"])
    expect(placesOf(own)).not.toContain("main.ts:8 1")
    const asked = await ask(space, `${TSC} --lsp --stdio`, { AMAN_SYMBOLS_SERVER_TIMEOUT: "2min" })
    expect(placesOf(asked)).toEqual(["main.ts:8 1"])
    expect(asked.notices.join("\n")).toContain("asked tsc: it names 1 places")
  },
)

test.skipIf(isWindows)("a hanging, flooding or lying language server changes nothing, and ends", async () => {
  using space = new Workspace(FILES)
  const pids = join(space.dir, "pids")
  const bun = process.execPath
  const hanging = await ask(space, `${bun} ${SERVER} hang ${pids}`, { AMAN_SYMBOLS_SERVER_TIMEOUT: "3s" })
  expect(hanging.notices.join("\n")).toContain("did not answer within 3 s")
  for (const pid of readFileSync(pids, "utf8").split(" ")) expect(isRunning(Number(pid))).toBe(false)

  const flooding = await ask(space, `${bun} ${SERVER} flood`)
  expect(flooding.notices.join("\n")).toMatch(
    /no language server answered: bun\S* (?:wrote more than|broke the protocol)/,
  )

  const lying = await ask(space, `${bun} ${SERVER} outside`)
  expect(placesOf(lying)).toEqual(["main.ts:8 1"])

  // A program inside of the project is never run, neither by its path nor through a link or PATH.
  space.write("server", `#!/bin/sh\ntouch ${join(space.dir, "ran")}\n`)
  const link = join(space.dir, "link")
  symlinkSync(join(space.project, "server"), link)
  for (const command of [join(space.project, "server"), link, "server", "./server"]) {
    const refused = await ask(space, command, { PATH: `${space.project}:${space.env["PATH"]}` })
    expect(refused.notices.join("\n")).toContain(
      "no language server for typescript is on PATH outside of the project",
    )
  }
  expect(existsSync(join(space.dir, "ran"))).toBe(false)
})

test("agents may have servers asked only if the user's settings allow it", async () => {
  using space = new Workspace(FILES)
  await space.json(["index"])
  const env = { AMAN_SYMBOLS_SERVERS: `typescript=${process.execPath} ${SERVER} outside` }
  const question = { name: "Door.open", relation: "references", exact: true }
  await using plain = await connect(space, { env })
  const { notices, references } = (await plain.call("symbol", question)).structuredContent
  expect(notices.join("\n")).toContain("symbols.ask_servers does not allow it")
  expect(references).toEqual([])
  await using allowed = await connect(space, { env: { ...env, AMAN_SYMBOLS_ASK_SERVERS: "true" } })
  expect(placesOf((await allowed.call("symbol", question)).structuredContent)).toEqual(["main.ts:8 1"])
  const wrong = await space.run(["symbol", "Door.open", "--callers", "--exact"])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("only asked for references")])
})

/**
 * True if a process runs. A process that has ended but that its parent has not waited for (a zombie) does not count.
 */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const state = `/proc/${pid}/stat`
  return !existsSync(state) || !/\) Z /.test(readFileSync(state, "latin1"))
}
