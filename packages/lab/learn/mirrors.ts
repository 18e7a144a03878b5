import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { listBlobs } from "../train/bare-repository.ts"

/** Clones a repository from GitHub with its whole history. */
export function bringMirror(name: string, gitDir: string): void {
  mkdirSync(dirname(gitDir), { recursive: true })
  console.log(`cloning ${name}`)
  git(["clone", "-q", "--bare", `https://github.com/${name}.git`, gitDir])
}

export function headOf(gitDir: string): string {
  return git(["--git-dir", gitDir, "rev-parse", "HEAD"]).trim()
}

/**
 * Writes the files of a commit to `tree` and returns their number; null if the folder exists. Does not use `git
 * archive`, which leaves out files by .gitattributes and stops at a file that a partial mirror lacks.
 */
export function layOut(gitDir: string, commit: string, tree: string): number | null {
  if (existsSync(tree)) return null
  mkdirSync(dirname(tree), { recursive: true })
  const part = mkdtempSync(join(dirname(resolve(tree)), ".part-"))
  const index = join(part, ".git-index")
  const env = { GIT_INDEX_FILE: index }
  git(["--git-dir", gitDir, "read-tree", commit], env)
  // Fails if files are missing, but only after all others are written.
  spawnSync(
    "git",
    ["--git-dir", gitDir, "--work-tree", part, "checkout-index", "-a", "-q", "-f", `--prefix=${part}/`],
    {
      env: { ...process.env, ...env, GIT_NO_LAZY_FETCH: "1" },
    },
  )
  rmSync(index)
  renameSync(part, tree)
  return listBlobs(gitDir, commit).length
}

function git(args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const { stdout, stderr, status } = spawnSync("git", args, {
    maxBuffer: 64 << 20,
    env: { ...process.env, ...env, GIT_NO_LAZY_FETCH: "1" },
  })
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString("utf8").trim()}`)
  return stdout.toString("utf8")
}
