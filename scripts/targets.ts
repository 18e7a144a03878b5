import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"

/** A system for which a binary is built. */
export type Target = {
  readonly name: string
  readonly os: "linux" | "darwin" | "windows"
  readonly libc: "glibc" | "musl" | null
  readonly bun: Bun.Build.CompileTarget
  /** npm package that contains Bun for this system. */
  readonly package: string
}

export const TARGETS: readonly Target[] = [
  target("linux-x64", "linux", "glibc", "linux-x64"),
  target("linux-arm64", "linux", "glibc", "linux-aarch64"),
  target("linux-x64-musl", "linux", "musl", "linux-x64-musl"),
  target("linux-arm64-musl", "linux", "musl", "linux-aarch64-musl"),
  target("darwin-x64", "darwin", null, "darwin-x64"),
  target("darwin-arm64", "darwin", null, "darwin-aarch64"),
  target("windows-x64", "windows", null, "windows-x64"),
]

/** Target by its name, with or without "bun-" in front. Throws for an unknown name. */
export function targetNamed(name: string): Target {
  const found = TARGETS.find((candidate) => candidate.name === name.replace(/^bun-/, ""))
  if (found) return found
  throw new Error(`no such target: ${name}; there are ${TARGETS.map((known) => known.name).join(", ")}`)
}

/**
 * Path of Bun for a target, in the version that runs this script. Downloads it from the npm registry the first
 * time.
 */
export function bunExecutable(target: Target): string {
  const { package: source } = target
  const folder = bunFolder(target)
  const path = bunPath(target)
  if (existsSync(path)) return path
  console.log(`fetching ${source}@${Bun.version}`)
  const staging = `${folder}-${process.pid}`
  mkdirSync(staging, { recursive: true })
  try {
    // npm verifies the checksum from the registry.
    runIn(staging, "npm", ["pack", "--silent", `${source}@${Bun.version}`])
    const [archive] = new Bun.Glob("*.tgz").scanSync(staging)
    if (archive === undefined) throw new Error(`npm pack ${source}@${Bun.version} left no archive`)
    runIn(staging, "tar", ["-xzf", archive])
    rmSync(join(staging, archive))
    rmSync(folder, { recursive: true, force: true })
    renameSync(staging, folder)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
  return path
}

/** Path where Bun is or will be stored. */
export function bunPath(target: Target): string {
  return join(bunFolder(target), "package", "bin", target.os === "windows" ? "bun.exe" : "bun")
}

function bunFolder({ name }: Target): string {
  return join(import.meta.dir, "..", "node_modules", ".cache", "aman-bun", Bun.version, name)
}

function target(name: string, os: Target["os"], libc: Target["libc"], of: string): Target {
  return { name, os, libc, bun: `bun-${name}` as Bun.Build.CompileTarget, package: `@oven/bun-${of}` }
}

function runIn(cwd: string, command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr}`)
}
