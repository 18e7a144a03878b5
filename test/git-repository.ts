import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

/**
 * A folder for repositories that real git creates, without the user's configuration; removed after the test.
 */
export class GitBox implements Disposable {
  readonly box = realpathSync(mkdtempSync(join(tmpdir(), "aman-git-")))

  folder(name: string): string {
    const path = join(this.box, name)
    mkdirSync(path, { recursive: true })
    return path
  }

  /** Creates a repository with a commit of these files; without files, one without a commit. */
  repository(name: string, files: Readonly<Record<string, string>> = {}): string {
    const top = this.folder(name)
    git(top, "init", "-q", "--template=", "-b", "main")
    if (Object.keys(files).length > 0) {
      for (const [path, text] of Object.entries(files)) write(top, path, text)
      commit(top, `first of ${name}`)
    }
    return top
  }

  clone(from: string, name: string, ...options: string[]): string {
    const top = join(this.box, name)
    git(this.box, "clone", "-q", ...options, from, top)
    return top
  }

  [Symbol.dispose](): void {
    rmSync(this.box, { recursive: true, force: true })
  }
}

export function write(top: string, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(top, path)), { recursive: true })
  writeFileSync(join(top, path), text)
}

/** Commits everything in the work tree; returns the id of the commit. */
export function commit(top: string, message: string): string {
  git(top, "add", "-A")
  git(top, "commit", "-q", "--allow-empty", "-m", message)
  return git(top, "rev-parse", "HEAD")
}

/** Runs git and returns its output; throws when git fails. */
export function git(top: string, ...args: string[]): string {
  const own = ["-c", "user.name=t", "-c", "user.email=t@example", "-c", "protocol.file.allow=always"]
  const env = { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", "-C", top, ...own, ...args], { env })
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`)
  return stdout.toString().trim()
}
