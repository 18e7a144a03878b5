import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { homeVariables } from "../own-environment.ts"

/** Path of the binary under test: the one that `npm run build` made, or AMAN_BINARY. */
export const binary: string = findBinary()

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string }
export type RunOptions = {
  readonly cwd?: string
  readonly env?: Record<string, string>
  readonly stdin?: string
}

/** A folder of its own that contains a project and a home; removed after the test. */
export class Workspace implements Disposable {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), "aman-e2e-")))
  readonly project = join(this.dir, "project")
  readonly home = join(this.dir, "home")

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.project)
    mkdirSync(this.home)
    for (const [path, text] of Object.entries(files)) this.write(path, text)
  }

  write(path: string, text: string): void {
    const full = join(this.project, path)
    mkdirSync(dirname(full), { recursive: true })
    writeFileSync(full, text)
  }

  /** Environment variables of the binary in this workspace. */
  variables: Record<string, string> = {}

  /** The environment of the binary, without any of this machine's settings. */
  get env(): Record<string, string> {
    // An address at which nothing listens, so that the tests do not use an Ollama of this machine.
    const nobody = { OLLAMA_HOST: "127.0.0.1:9" }
    const home = { HOME: this.home, USERPROFILE: this.home, ...windowsFolders(this.home) }
    const [PATH, TMPDIR] = [process.env["PATH"] ?? "", this.dir]
    const usual = { GIT_CONFIG_NOSYSTEM: "1", AMAN_EMBEDDINGS_ENCODER: "off" }
    return { ...home, PATH, TMPDIR, ...usual, ...nobody, ...this.variables }
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const child = Bun.spawn([binary, ...args], {
      cwd: options.cwd ?? this.project,
      env: { ...this.env, ...options.env },
      stdin: options.stdin === undefined ? "ignore" : new Blob([options.stdin]),
      stdout: "pipe",
      stderr: "pipe",
    })
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return { code: await child.exited, stdout, stderr }
  }

  /** The JSON output of a run that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at the parts they name
  async json([command, ...args]: readonly [string, ...string[]], options: RunOptions = {}): Promise<any> {
    const { code, stdout, stderr } = await this.run([command, "--json", ...args], options)
    if (code !== 0)
      throw new Error(`aman ${command} ${args.join(" ")} ended with ${code}: ${stderr}${stdout}`)
    return JSON.parse(stdout)
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true })
  }
}

/** The folders that Windows gives to a user; on other systems they follow from the home. */
function windowsFolders(home: string): Record<string, string> {
  if (process.platform !== "win32") return {}
  const { APPDATA, LOCALAPPDATA } = homeVariables(home) as { APPDATA: string; LOCALAPPDATA: string }
  return { APPDATA, LOCALAPPDATA, SystemRoot: process.env["SystemRoot"] ?? "" }
}

function findBinary(): string {
  const name = process.platform === "win32" ? "aman.exe" : "aman"
  const path = process.env["AMAN_BINARY"] ?? join(import.meta.dir, "..", "..", "dist", name)
  if (!existsSync(path)) throw new Error(`${path} is missing: npm run build`)
  return path
}
