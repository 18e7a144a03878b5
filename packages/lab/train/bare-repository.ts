import { spawnSync } from "node:child_process"

export type BlobEntry = { readonly id: string; readonly path: string; readonly size: number }

const MAX_BYTES = 512 << 20

/** Files of a commit, in git's order. */
export function listBlobs(gitDir: string, commit: string): BlobEntry[] {
  const listed = git(gitDir, ["ls-tree", "-r", "-l", "-z", commit]).toString("utf8")
  return listed.split("\0").flatMap((line) => {
    const [facts = "", path] = line.split("\t")
    const [, type, id, size] = facts.split(/\s+/u)
    return type === "blob" && path !== undefined && /^\d+$/u.test(size ?? "")
      ? [{ id: id!, path, size: Number(size) }]
      : []
  })
}

/** The bytes of blobs in the order of `ids`; null for a missing one. */
export function readBlobs(gitDir: string, ids: readonly string[]): (Uint8Array | null)[] {
  const out = git(gitDir, ["cat-file", "--batch"], ids.join("\n"))
  let at = 0
  return ids.map(() => {
    const end = out.indexOf(10, at)
    const [, type, size] = out.subarray(at, end).toString("latin1").split(" ")
    at = end + 1
    if (type !== "blob") return null
    const bytes = out.subarray(at, at + Number(size))
    at += bytes.length + 1
    return bytes
  })
}

/**
 * The last `max` commits before and including `commit`, without merges, as text: \x01 subject \x02 body \x03
 * and the changed lines. The text is cut off after `bytes`.
 */
export function readLog(gitDir: string, commit: string, max: number, bytes: number): string {
  const format = "--format=%x01%s%x02%b%x03"
  const { stdout } = spawnSync(
    "git",
    [
      "-C",
      gitDir,
      "-c",
      "core.quotePath=false",
      "log",
      "--no-merges",
      `-n${max}`,
      "-p",
      "-U0",
      "--no-color",
      "--no-ext-diff",
      "--no-textconv",
      "--no-renames",
      "--diff-filter=AM",
      format,
      commit,
    ],
    { maxBuffer: bytes, env: { ...process.env, GIT_NO_LAZY_FETCH: "1" } },
  )
  return (stdout ?? Buffer.alloc(0)).subarray(0, bytes).toString("utf8")
}

/** What a git command prints. Throws if it fails. */
export function git(gitDir: string, args: readonly string[], input?: string): Buffer {
  const { stdout, stderr, status } = spawnSync("git", ["-C", gitDir, ...args], {
    maxBuffer: MAX_BYTES,
    env: { ...process.env, GIT_NO_LAZY_FETCH: "1" },
    ...(input === undefined ? {} : { input }),
  })
  if (status !== 0) throw new Error(`git ${args[0]} in ${gitDir}: ${stderr?.toString("utf8").trim()}`)
  return stdout
}
