import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { commit, git, write } from "../git-repository.ts"
import { Workspace } from "./harness.ts"

type Files = Readonly<Record<string, string>>

/**
 * A workspace with bare repositories beside it, which can be cloned in every way that git offers on one
 * machine.
 */
export class Remotes extends Workspace {
  readonly remotes = join(this.dir, "remotes")
  readonly data = join(this.home, ".local/share/aman/repos")
  readonly #ssh = join(this.dir, "ssh.sh")

  /** Creates a bare repository with a commit of these files; without files, an empty one. */
  bare(name: string, files: Files = {}): string {
    const path = join(this.remotes, `${name}.git`)
    mkdirSync(path, { recursive: true })
    git(path, "init", "-q", "--bare", "--template=", "-b", "main")
    if (Object.keys(files).length > 0) this.push(name, files)
    return path
  }

  /** Replaces the branch's history by one commit of exactly these files; returns its id. */
  push(name: string, files: Files, branch = "main"): string {
    const bare = join(this.remotes, `${name}.git`)
    const top = join(this.dir, "work", `${name}-${Math.random().toString(36).slice(2)}`)
    mkdirSync(top, { recursive: true })
    git(top, "init", "-q", "--template=", "-b", branch)
    for (const [path, text] of Object.entries(files)) write(top, path, text)
    const id = commit(top, "all there is")
    git(top, "push", "-q", "--force", bare, `${branch}:${branch}`)
    return id
  }

  /**
   * Environment with an ssh that runs the requested command on this machine. It logs when each call begins
   * and ends, and waits as long as the file `hold` exists.
   */
  get sshEnv(): Record<string, string> {
    writeFileSync(
      this.#ssh,
      `#!/bin/sh
for last; do :; done
echo "+ $*" >> '${this.dir}/ssh.log'
while [ -e '${this.dir}/hold' ]; do sleep 0.05; done
sh -c "$last"
code=$?
echo "- $*" >> '${this.dir}/ssh.log'
exit $code
`,
    )
    chmodSync(this.#ssh, 0o755)
    return { GIT_SSH_COMMAND: `'${this.#ssh}'`, GIT_SSH_VARIANT: "ssh" }
  }

  get sshLog(): string[] {
    const path = join(this.dir, "ssh.log")
    return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []
  }

  sshUrl(name: string): string {
    return `git@host.example:${join(this.remotes, `${name}.git`)}`
  }
}

/** Waits until `isSo` is true; throws after 20 seconds. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + 20_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`)
    await Bun.sleep(20)
  }
}
