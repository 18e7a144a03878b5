import { FILE_FLAG } from "../../../src/base/index.ts"
import {
  contentKindOf,
  fileFlags,
  languageOf,
  type ParsedFile,
  parseFile,
  pathFlags,
} from "../../../src/parse/index.ts"
import { decodeText } from "../../../src/text/index.ts"
import { type BlobEntry, listBlobs, readBlobs, readLog } from "./bare-repository.ts"
import { commitPairs } from "./commit-pairs.ts"
import { distinctPairs } from "./distinct-pairs.ts"
import { codePairs } from "./file-pairs.ts"
import type { Pair } from "./pair.ts"
import { prosePairs } from "./prose-pairs.ts"
import { randomFrom, shuffle } from "./random.ts"

export type Repository = { readonly name: string; readonly commit: string }

export type Extracted = {
  readonly pairs: readonly Pair[]
  readonly files: number
  /** Number of files left out because a repository from which nothing may be learnt has the same bytes. */
  readonly excluded: number
}

const MAX_CODE_FILES = 350
const MAX_PROSE_FILES = 40
const MIN_BYTES = 200
const MAX_BYTES = 150_000
const MAX_PAIRS = 7_000
const MAX_COMMITS = 700
const LOG_BYTES = 48 << 20
const LEFT_OUT = FILE_FLAG.vendored | FILE_FLAG.generated | FILE_FLAG.output
const PARSE = { chunkTokens: 1500, mergeTokens: 500, timeoutMs: 10_000 }

/**
 * The pairs of one bare repository, always the same for a commit. `forbidden`: git ids of files from which
 * nothing may be learnt.
 */
export async function extractPairs(
  { name, commit }: Repository,
  gitDir: string,
  forbidden: ReadonlySet<string>,
): Promise<Extracted> {
  const random = randomFrom(name)
  const all = listBlobs(gitDir, commit).filter(isWanted)
  const allowed = all.filter(({ id }) => !forbidden.has(id))
  const kindOf = ({ path }: BlobEntry) => contentKindOf(languageOf(path, ""))
  const chosen = [
    ...shuffle(
      allowed.filter((entry) => kindOf(entry) === "code"),
      random,
    ).slice(0, MAX_CODE_FILES),
    ...shuffle(
      allowed.filter(({ path }) => /\.mdx?$/iu.test(path)),
      random,
    ).slice(0, MAX_PROSE_FILES),
  ]
  const pairs = commitPairs(readLog(gitDir, commit, MAX_COMMITS, LOG_BYTES))
  const prose: { readonly path: string; readonly parsed: ParsedFile }[] = []
  const names = new Map<string, readonly string[]>()
  for (const { path, parsed } of await parsedFiles(gitDir, chosen)) {
    if (parsed.method === "markdown") prose.push({ path, parsed })
    else {
      names.set(
        path,
        parsed.chunks.flatMap((chunk) => chunk.symbols.map((symbol) => symbol.name)),
      )
      pairs.push(...codePairs(path, parsed, random))
    }
  }
  for (const { path, parsed } of prose) pairs.push(...prosePairs(path, parsed, names))
  const distinct = shuffle(distinctPairs(pairs), random).slice(0, MAX_PAIRS)
  return { pairs: distinct, files: chosen.length, excluded: all.length - allowed.length }
}

function isWanted({ path, size }: BlobEntry): boolean {
  return size > MIN_BYTES && size < MAX_BYTES && (pathFlags(path) & LEFT_OUT) === 0
}

async function parsedFiles(gitDir: string, entries: readonly BlobEntry[]) {
  const blobs = readBlobs(
    gitDir,
    entries.map(({ id }) => id),
  )
  const found: { readonly path: string; readonly parsed: ParsedFile }[] = []
  for (const [i, { path }] of entries.entries()) {
    const text = blobs[i] ? (decodeText(blobs[i])?.text ?? null) : null
    if (text === null || (fileFlags(path, text) & LEFT_OUT) !== 0) continue
    found.push({ path, parsed: await parseFile(path, text, PARSE) })
  }
  return found
}
