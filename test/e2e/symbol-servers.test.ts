import { expect, setDefaultTimeout, test } from "bun:test"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"
import { until } from "./remotes.ts"

// Servers are waited for until their time is up.
setDefaultTimeout(60_000)

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

type Place = { path: string; line: number; certainty: string }
type Answer = { references: Place[]; notices: string[] }
const placesOf = ({ references }: Answer) =>
  references.map(({ path, line, certainty }) => `${path}:${line} ${certainty}`)

/** Asks for the references of Door.open with this command as the language server. The fixture is allowed. */
function ask(space: Workspace, command: string, env: Record<string, string> = {}): Promise<Answer> {
  const allowed = `${space.project}=server.ts`
  return space.json(["symbol", "Door.open", "--references", "--exact"], {
    env: { AMAN_SYMBOLS_SERVERS: `typescript=${command}`, AMAN_SYMBOLS_ALLOWED_SERVERS: allowed, ...env },
  })
}

test.skipIf(!existsSync(TSC) || isWindows)(
  "--exact lists uses that only a language server knows (the one of TypeScript)",
  async () => {
    using space = new Workspace(FILES)
    const own = await space.json(["symbol", "Door.open", "--references"])
    expect(placesOf(own)).not.toContain("main.ts:8 certain")
    const asked = await ask(space, `${TSC} --lsp --stdio`, { AMAN_SYMBOLS_SERVER_TIMEOUT: "2min" })
    expect(placesOf(asked)).toEqual(["main.ts:8 certain"])
    expect(asked.notices.join("\n")).toContain("asked tsc: it names 1 places")
  },
)

/** A workspace whose files have traps for servers: each adds its name to the file of `ran`. */
class Trapped extends Workspace {
  constructor(files: Readonly<Record<string, string>>) {
    super(files)
    mkdirSync(join(this.dir, "bin"))
  }

  /** The traps that went off. */
  get ran(): string[] {
    const path = join(this.dir, "ran")
    return existsSync(path) ? [...new Set(readFileSync(path, "utf8").trim().split("\n"))].sort() : []
  }

  /** Writes a program that goes off, for a path in the project or, if it is absolute, elsewhere. */
  trapProgram(path: string): void {
    this.#write(path, `#!/bin/sh\necho ${path} >> ${this.dir}/ran\nexit 1\n`)
  }

  trapScript(path: string): void {
    const line = JSON.stringify(`${path}\n`)
    this.#write(path, `require("fs").appendFileSync(${JSON.stringify(join(this.dir, "ran"))}, ${line})\n`)
  }

  /** Writes a program outside of the project, found by its name on PATH, that runs the fixture. */
  server(name: string, mode: string): void {
    this.#write(join(this.dir, "bin", name), `#!/bin/sh\nexec "${process.execPath}" "${SERVER}" ${mode}\n`)
  }

  /** A PATH with folders of the project first, and then the one of `server`. */
  get path(): string {
    return [this.project, "node_modules/.bin", ".", "", join(this.dir, "bin"), this.env["PATH"]].join(":")
  }

  #write(path: string, text: string): void {
    const full = path.startsWith("/") ? path : join(this.project, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, text)
    chmodSync(full, 0o755)
  }
}

test.skipIf(!existsSync(TSC) || isWindows)(
  "TypeScript 7's server runs no code of the project and downloads nothing",
  async () => {
    using space = new Trapped({
      ...FILES,
      "main.ts": `import $ from "jquery"\n${FILES["main.ts"]}`,
      "tsconfig.json": JSON.stringify({
        extends: "evil/index.js",
        compilerOptions: {
          plugins: [{ name: "evil" }, { transform: "./sdk/lib/typescript.js" }],
          allowJs: true,
        },
        typeAcquisition: { enable: true, include: ["jquery"] },
        include: ["*.ts"],
      }),
      "package.json": '{"dependencies":{"jquery":"1"},"packageManager":"yarn@4.0.0"}',
      "node_modules/evil/package.json": '{"name":"evil","main":"index.js"}',
      "node_modules/typescript/package.json": '{"name":"typescript","version":"5.9.9"}',
      ".npmrc": "script-shell=./npm\nnode-options=--require ./hook.js\n",
      "bunfig.toml": 'preload = ["./hook.js"]\n',
      ".vscode/settings.json": JSON.stringify({
        "typescript.tsdk": "./sdk/lib",
        "js/ts.tsdk.path": "./sdk/lib",
        "typescript.tsserver.nodePath": "./node",
        "typescript.npm": "./npm",
      }),
    })
    const libraries = ["tsserver.js", "typescript.js", "_tsc.js", "tsc.js"]
    for (const folder of ["node_modules/typescript/lib", "sdk/lib", ".yarn/sdks/typescript/lib"])
      for (const name of libraries) space.trapScript(`${folder}/${name}`)
    for (const path of ["node_modules/evil/index.js", ".pnp.cjs", ".pnp.loader.mjs", "hook.js"])
      space.trapScript(path)
    for (const name of ["node", "npm", "npx", "tsc", "tsserver", "yarn", "git"]) {
      space.trapProgram(name)
      space.trapProgram(`node_modules/.bin/${name}`)
    }
    for (const name of ["npm", "npx", "yarn"]) space.trapProgram(join(space.dir, "bin", name))
    symlinkSync(TSC, join(space.dir, "bin", "tsc"))
    const { references, notices } = await space.json(["symbol", "Door.open", "--references", "--exact"], {
      env: { PATH: space.path, AMAN_SYMBOLS_SERVER_TIMEOUT: "2min" },
    })
    expect(placesOf({ references, notices })).toEqual(["main.ts:9 certain"])
    expect(space.ran).toEqual([])
  },
)

test.skipIf(isWindows)(
  "another server runs only once the user has allowed it by name for this project",
  async () => {
    using space = new Trapped({
      "shop.py": "def pay(order):\n    return order\n",
      "main.py": "from shop import pay\npay(1)\n",
    })
    space.trapProgram(".venv/bin/python")
    const question = ["symbol", "pay", "--references", "--exact"] as const
    for (const name of ["pyright-langserver", "basedpyright-langserver"]) space.server(name, "python")
    const env = { PATH: space.path }
    const refused = (await space.json([...question], { env })) as Answer
    expect(space.ran).toEqual([])
    const command = (name: string) => `aman config add symbols.allowed_servers "${space.project}=${name}"`
    expect(refused.notices.join("\n")).toContain(
      `basedpyright-langserver was found but not started, because it may run code of the project; you can allow it for this project: ${command("basedpyright-langserver")}`,
    )

    // An agent gets the same answer, whatever it may have asked.
    await using agent = await connect(space, { env: { ...env, AMAN_SYMBOLS_ASK_SERVERS: "true" } })
    const told = await agent.call("symbol", { name: "pay", relation: "references", exact: true })
    expect(told.structuredContent.notices.join("\n")).toContain(command("pyright-langserver"))

    // Neither the project's own file nor permissions for other projects and names count.
    space.write(".aman.yaml", `symbols:\n  allowed_servers: ["${space.project}=pyright-langserver"]\n`)
    const others = [
      `${space.dir}=pyright-langserver`,
      `${space.project}=pyright`,
      `${space.project}/sub=pyright-langserver`,
    ]
    await space.run(["config", "add", "symbols.allowed_servers", ...others], { cwd: space.dir })
    await space.run([...question], { env })
    expect(space.ran).toEqual([])

    space.write(".aman.yaml", "")
    const entry = `${space.project}=basedpyright-langserver`
    const added = await space.run(["config", "add", "symbols.allowed_servers", entry])
    expect([added.code, added.stderr]).toEqual([0, ""])
    const { stdout } = await space.run(["config", "get", "symbols.allowed_servers"])
    expect(stdout.trim().split("\n")).toEqual([...others, entry])
    const allowed = (await space.json([...question], { env })) as Answer
    expect(allowed.notices.join("\n")).toContain("asked basedpyright-langserver")
    expect(space.ran).toEqual([".venv/bin/python"])
  },
)

test.skipIf(isWindows)(
  "a server of TypeScript, whatever its command is, gets the TypeScript installed with it",
  async () => {
    using space = new Trapped(FILES)
    space.trapScript("node_modules/typescript/lib/tsserver.js")
    const own = join(space.dir, "tools/node_modules/typescript/lib/tsserver.js")
    space.trapScript(own)
    const script = join(space.dir, "tools/cli.ts")
    copyFileSync(SERVER, script)
    const command = `${process.execPath} ${script} tsserver`
    const refused = await ask(space, command)
    expect(refused.notices.join("\n")).toContain("cli.ts was found but not started")
    expect(space.ran).toEqual([])
    const asked = await ask(space, command, { AMAN_SYMBOLS_ALLOWED_SERVERS: `${space.project}=cli.ts` })
    expect(placesOf(asked)).toEqual(["main.ts:8 certain"])
    expect(space.ran).toEqual([own])
    // An argument may not name a file of the project, either.
    copyFileSync(SERVER, join(space.project, "cli.ts"))
    const inside = `${process.execPath} ${join(space.project, "cli.ts")} tsserver`
    const within = await ask(space, inside, { AMAN_SYMBOLS_ALLOWED_SERVERS: `${space.project}=cli.ts` })
    expect(within.notices.join("\n")).toContain("is on PATH outside of the project")
  },
)

test.skipIf(isWindows)("a hanging, flooding or lying language server changes nothing, and ends", async () => {
  using space = new Workspace(FILES)
  const pids = join(space.dir, "pids")
  const bun = process.execPath
  const hanging = await ask(space, `${bun} ${SERVER} hang ${pids}`, { AMAN_SYMBOLS_SERVER_TIMEOUT: "1s" })
  expect(hanging.notices.join("\n")).toContain("did not answer within 1 s")
  // A killed process is there until the system has cleared it away.
  for (const pid of readFileSync(pids, "utf8").split(" "))
    await until(() => !isRunning(Number(pid)), "its end")

  const flooding = await ask(space, `${bun} ${SERVER} flood`)
  expect(flooding.notices.join("\n")).toMatch(
    /no language server answered: server.ts (?:wrote more than|broke the protocol)/,
  )
  const chatting = await ask(space, `${bun} ${SERVER} messages`, { AMAN_SYMBOLS_SERVER_TIMEOUT: "1s" })
  expect(chatting.notices.join("\n")).toMatch(
    /no language server answered: server.ts (?:wrote|did not answer)/,
  )

  const lying = await ask(space, `${bun} ${SERVER} outside`)
  expect(placesOf(lying)).toEqual(["main.ts:8 certain"])

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
  const env = {
    AMAN_SYMBOLS_SERVERS: `typescript=${process.execPath} ${SERVER} outside`,
    AMAN_SYMBOLS_ALLOWED_SERVERS: `${space.project}=server.ts`,
  }
  const question = { name: "Door.open", relation: "references", exact: true }
  await using plain = await connect(space, { env })
  const { notices, references } = (await plain.call("symbol", question)).structuredContent
  expect(notices.join("\n")).toContain("symbols.ask_servers does not allow it")
  expect(references).toEqual([])
  await using allowed = await connect(space, { env: { ...env, AMAN_SYMBOLS_ASK_SERVERS: "true" } })
  expect(placesOf((await allowed.call("symbol", question)).structuredContent)).toEqual(["main.ts:8 certain"])
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
