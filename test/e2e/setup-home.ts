import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { binary, Workspace } from "./harness.ts"

export const FIXTURES = join(import.meta.dir, "..", "fixtures", "setup")

/** A home with settings of clients, and the binary on its PATH as "aman". */
export class SetupHome extends Workspace {
  readonly bin = join(this.dir, "bin")

  constructor(client?: string, files: Readonly<Record<string, string>> = {}) {
    super(files)
    mkdirSync(this.bin)
    symlinkSync(binary, join(this.bin, "aman"))
    if (client !== undefined) cpSync(join(FIXTURES, client, "before"), this.home, { recursive: true })
  }

  /** An environment in which no clients of this machine are found. */
  override get env(): Record<string, string> {
    return { ...super.env, PATH: this.bin }
  }

  /** Creates an executable of this name that does nothing. */
  program(name: string): void {
    const path = join(this.bin, name)
    writeFileSync(path, "#!/bin/sh\n")
    chmodSync(path, 0o755)
  }

  at(path: string): string {
    return join(this.home, path)
  }

  put(path: string, text: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    writeFileSync(this.at(path), text)
  }

  /** The file's text, including its byte-order mark. */
  text(path: string): string {
    return readFileSync(this.at(path)).toString("utf8")
  }
}

/** The text of every file below a folder, sorted by path, without aman's own data. */
export function filesBelow(folder: string): Record<string, string> {
  const paths = [...new Bun.Glob("**/*").scanSync({ cwd: folder, dot: true, onlyFiles: true })]
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !path.startsWith(".local/"))
    .sort()
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path)).toString("utf8")]))
}
