import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { loadConfig } from "../../src/config/load.ts"
import { scanProject } from "../../src/index/scan/scan-folder.ts"
import { scanOptionsOf } from "../../src/index/scan/scan-result.ts"
import { readSource } from "../../src/text/files/read-source.ts"
import { Variant } from "./variant.ts"

type SourceFile = { readonly file: string; readonly path: string }

/**
 * A project of exactly so many files, the same on every machine: the largest repositories' own files, as a large
 * project has few languages, then the smaller ones', and, when there are no more, variants of all of them with
 * other paths and names. Made once, then reused.
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

/** The folders right below each of these. */
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

/** The text that aman would index, but for hidden files, whose rules would apply to the copies. */
function filesOf(root: string): SourceFile[] {
  const config = loadConfig(root, {}, {})
  return scanProject(root, scanOptionsOf(config))
    .files.filter(({ path }) => !/(?:^|\/)\./u.test(path))
    .filter(({ path }) => !("reason" in readSource(root, path, config.index.maxFileBytes)))
    .map(({ path }) => ({ file: join(root, path), path: `${basename(root)}/${path}` }))
}

/** Variant 0 is the files as they are. */
function writeVariant(sources: readonly SourceFile[], target: string, seed: number): void {
  const variant = new Variant(seed)
  for (const { file, path } of sources) {
    const to = join(target, seed === 0 ? path : variant.path(path))
    mkdirSync(dirname(to), { recursive: true })
    const bytes = readFileSync(file)
    // Latin-1 keeps every byte as it is, whatever the encoding; names are ASCII.
    writeFileSync(to, seed === 0 ? bytes : Buffer.from(variant.text(bytes.toString("latin1")), "latin1"))
  }
}
