import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { loadConfig } from "../../../src/base/index.ts"
import { readSource } from "../../../src/text/index.ts"
import { scanOptionsOf, scanProject } from "../../../src/tree/index.ts"
import { Variant } from "./variant.ts"

type SourceFile = { readonly file: string; readonly path: string }

/**
 * Makes a project of exactly `files` files, the same on every machine, and reuses it later. It has all files of
 * the largest repositories, because a large project has few languages, then those of smaller ones. If these are
 * not enough, variants of all of them with other paths and names follow.
 */
export function ensureTree(repositories: readonly string[], target: string, files: number): void {
  const sources = sourcesOf(repositories)
  if (sources.length === 0) throw new Error("the corpus has no files to make a tree of")
  // Another corpus makes another tree.
  const made = `${files} of ${sources.length} ${Bun.hash.xxHash3(sources.map(({ path }) => path).join())}`
  const marker = `${target}.made`
  if (existsSync(marker) && readFileSync(marker, "utf8") === made) return
  rmSync(marker, { force: true })
  rmSync(target, { recursive: true, force: true })
  for (let seed = 0; seed * sources.length < files; seed++) {
    writeVariant(sources.slice(0, files - seed * sources.length), target, seed)
  }
  writeFileSync(marker, made)
}

/** The folders directly below each of these folders. */
export function repositoriesIn(folders: readonly (string | null)[]): string[] {
  return folders.flatMap((folder) =>
    folder === null
      ? []
      : readdirSync(folder, { withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map((entry) => join(folder, entry.name))
          .sort(),
  )
}

function sourcesOf(repositories: readonly string[]): SourceFile[] {
  return repositories
    .map(filesOf)
    .sort((a, b) => b.length - a.length)
    .flat()
}

/** The files that aman would index, without hidden ones, because rules in them would apply to the copies. */
function filesOf(root: string): SourceFile[] {
  const config = loadConfig(root, {}, {})
  return scanProject(root, scanOptionsOf(config))
    .files.filter(({ path }) => !/(?:^|\/)\./u.test(path))
    .filter(({ path }) => !("reason" in readSource(root, path, config.index.maxFileBytes)))
    .map(({ path }) => ({ file: join(root, path), path: `${basename(root)}/${path}` }))
}

/** Writes a variant of the files; variant 0 is the files themselves. */
function writeVariant(sources: readonly SourceFile[], target: string, seed: number): void {
  const variant = new Variant(seed)
  for (const { file, path } of sources) {
    const to = join(target, seed === 0 ? path : variant.path(path))
    mkdirSync(dirname(to), { recursive: true })
    const bytes = readFileSync(file)
    // Latin-1 keeps every byte unchanged in any encoding, and the names to replace are ASCII.
    writeFileSync(to, seed === 0 ? bytes : Buffer.from(variant.text(bytes.toString("latin1")), "latin1"))
  }
}
