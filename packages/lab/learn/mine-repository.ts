import { compareTexts, FILE_FLAG } from "../../../src/base/index.ts"
import {
  type CodeSymbol,
  contentKindOf,
  fileFlags,
  languageOf,
  parseFile,
  pathFlags,
} from "../../../src/parse/index.ts"
import { decodeText } from "../../../src/text/index.ts"
import { listBlobs, readBlobs } from "../train/bare-repository.ts"
import { type ChangeText, changeText, isMergeMessage } from "./change-text.ts"
import { type AnswerNames, hideAnswer, isCompound } from "./hide-answer.ts"
import { type Commit, changesOf, commitIds, diffBlobs, type FileChange, listCommits } from "./history.ts"
import { mapBack } from "./line-map.ts"
import type { Definition, Hunk, Lines, Task, TaskFile } from "./task.ts"

export type MineRequest = {
  /** Name as OWNER/NAME. */
  readonly repo: string
  readonly gitDir: string
  readonly head: string
  /** Base commit; null: one with enough tasks after it is chosen. */
  readonly base: string | null
  readonly maxTasks: number
}

export type MinedRepository = { readonly base: string; readonly tasks: readonly Task[] }

/** Ages of the base commits to try, in months before the newest commit. */
const BASE_MONTHS = [9, 18, 30, 48, 72]
const MONTH_SECONDS = 30.4 * 24 * 3600
const BATCH = 150
const MAX_FILES = 6
/** Max changed lines of a task; no reader could find the places of a larger change beforehand. */
const MAX_CHANGED_LINES = 250
const MAX_FILE_BYTES = 1_000_000
const NO_SOURCE =
  FILE_FLAG.test |
  FILE_FLAG.example |
  FILE_FLAG.generated |
  FILE_FLAG.bench |
  FILE_FLAG.docs |
  FILE_FLAG.vendored |
  FILE_FLAG.output
const NO_PROJECT_CODE = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.output
/** Languages whose files alone make no task, because they change along with code: markup, styles, schemas, builds. */
const NOT_SOUGHT = new Set(
  "html css scss template sql graphql dockerfile makefile cmake bazel meson nix terraform groovy batch notebook".split(
    " ",
  ),
)
const NO_NAMES: AnswerNames = { paths: [], identifiers: [] }
const PARSE = { chunkTokens: 1500, mergeTokens: 500, timeoutMs: 10_000 }
/** A line that only imports; the last form is one of Go's import blocks. */
const IMPORT_LINE =
  /^\s*(?:import\b|from\s+\S+\s+import\b|#\s*include\b|using\s+[\w.=\s]+;|use\s+[\w:\\]+|require(?:_relative)?\b|(?:const|let|var)\s+[\w{},\s]+=\s*require\(|export\s+(?:\*|\{[^}]*\})\s+from\b|alias\s+[A-Z]|open\s+[A-Z][\w.]*\s*$|package\s+[\w.]+;?\s*$|(?:[\w.]+\s+)?"[\w.-]+\/[\w./-]+"$)/u

/**
 * The tasks of a bare repository: the first `maxTasks` changes after the base commit whose lines exist there.
 * Without a base, tries several and takes the one with the most tasks: an older one has more changes after it,
 * but fewer of them still fit its files.
 */
export async function mineRepository(request: MineRequest): Promise<MinedRepository> {
  if (request.base !== null) return mineAfter(request, request.base)
  const line = listCommits(request.gitDir, request.head, true)
  const newest = line[0]!.time
  let best: MinedRepository = { base: request.head, tasks: [] }
  for (const months of BASE_MONTHS) {
    const base = line.find(({ time }) => time <= newest - months * MONTH_SECONDS)
    if (base === undefined) break
    const mined = await mineAfter(request, base.id)
    if (mined.tasks.length > best.tasks.length) best = mined
    // Half of the tasks are enough, because for the other half an older tree would be searched.
    if (best.tasks.length >= request.maxTasks / 2) break
  }
  return best
}

async function mineAfter(request: MineRequest, base: string): Promise<MinedRepository> {
  const { gitDir, head, maxTasks } = request
  const described = describedCommits(gitDir, base, head)
  const reader = new BaseReader(gitDir, base)
  const tasks: Task[] = []
  const titles = new Set<string>()
  for (let from = 0; from < described.length && tasks.length < maxTasks; from += BATCH) {
    const batch = described.slice(from, from + BATCH)
    const changes = changesOf(
      gitDir,
      batch.map(({ commit }) => commit.id),
    )
    for (const { commit, text } of batch) {
      if (tasks.length >= maxTasks || titles.has(text.title)) continue
      const task = await taskOf({ ...request, base }, reader, commit, text, changes.get(commit.id) ?? [])
      if (task === null) continue
      titles.add(text.title)
      tasks.push(task)
    }
  }
  return { base, tasks }
}

type Described = { readonly commit: Commit; readonly text: ChangeText }

/** Commits with a description, oldest first. A merge with a description replaces the commits that it merges. */
function describedCommits(gitDir: string, base: string, head: string): Described[] {
  const range = `${base}..${head}`
  const covered = new Set<string>()
  const described: Described[] = []
  for (const commit of listCommits(gitDir, range, true)) {
    if (commit.parents.length !== 2) continue
    const text = changeText(commit.message, commit.author)
    const brought = commitIds(gitDir, `${commit.parents[0]}..${commit.parents[1]}`)
    // A merge of many commits is that of a development branch and not of a pull request.
    if (text === null || brought.length > 60) continue
    described.push({ commit, text })
    for (const id of brought) covered.add(id)
  }
  for (const commit of listCommits(gitDir, range, false)) {
    if (commit.parents.length !== 1 || covered.has(commit.id) || isMergeMessage(commit.message)) continue
    const text = changeText(commit.message, commit.author)
    if (text !== null) described.push({ commit, text })
  }
  return described.sort((a, b) => a.commit.time - b.commit.time || compareTexts(a.commit.id, b.commit.id))
}

async function taskOf(
  { repo, base, gitDir }: MineRequest & { readonly base: string },
  reader: BaseReader,
  commit: Commit,
  text: ChangeText,
  changes: readonly FileChange[],
): Promise<Task | null> {
  const source = changes.filter(({ path }) => isSource(path))
  const modified = source.filter(({ status }) => status === "M")
  if (modified.length === 0 || source.length > MAX_FILES || source.some(({ status }) => status === "R"))
    return null
  const files: TaskFile[] = []
  for (const change of modified) {
    const file = await fileOf(gitDir, reader, change)
    if (file === "changed since") return null
    if (file !== null) files.push(file)
  }
  const lines = files.flatMap(({ hunks }) => hunks).reduce((sum, { start, end }) => sum + end - start + 1, 0)
  if (files.length === 0 || lines > MAX_CHANGED_LINES) return null
  const names = {
    paths: files.map(({ path }) => path),
    identifiers: [...answerWords(files, changes, reader)],
  }
  const hidden = { title: hideAnswer(text.title, names), body: hideAnswer(text.body, names) }
  const unhidden = { title: hideAnswer(text.title, NO_NAMES), body: hideAnswer(text.body, NO_NAMES) }
  const created = changes.filter(({ path, status }) => status === "A" && (isSource(path) || isTest(path)))
  return {
    id: `${repo}@${commit.id.slice(0, 10)}`,
    repo,
    base,
    commit: commit.id,
    parent: commit.parents[0]!,
    language: mainLanguage(files),
    ...text,
    hidden,
    leaks: hidden.title !== unhidden.title || hidden.body !== unhidden.body,
    files,
    tests: changes
      .filter(({ path, status }) => status === "M" && isTest(path) && reader.has(path))
      .map(({ path }) => path),
    created: created.map(({ path }) => path),
  }
}

/**
 * A changed file of a task, with its changed lines in the base version. Null if only imports or blank lines
 * changed, or if the file cannot be parsed; "changed since" if the file or its lines are not in the base
 * version.
 */
async function fileOf(
  gitDir: string,
  reader: BaseReader,
  change: FileChange,
): Promise<TaskFile | "changed since" | null> {
  const hunks = change.hunks.filter(
    ({ lines }) => !lines.every((line) => line.trim() === "" || IMPORT_LINE.test(line)),
  )
  if (hunks.length === 0) return null
  const blob = reader.blobOf(change.path)
  const file = blob === null ? null : await reader.read(change.path)
  if (blob === null || file === null) return blob === null ? "changed since" : null
  const between = blob === change.oldBlob ? [] : diffBlobs(gitDir, blob, change.oldBlob)
  const mapped: Hunk[] = []
  for (const hunk of hunks) {
    const lines = mapBack(hunk, between)
    if (lines === null) return "changed since"
    mapped.push({ ...lines, end: Math.min(lines.end, file.lines) })
  }
  return {
    path: change.path,
    language: file.language,
    hunks: mapped,
    definitions: enclosing(mapped, file.symbols),
  }
}

/**
 * The innermost definition around each changed line; if lines are only added, around both neighbouring lines.
 */
function enclosing(hunks: readonly Hunk[], symbols: readonly CodeSymbol[]): Definition[] {
  const found = new Set<CodeSymbol>()
  for (const hunk of hunks) {
    const places = hunk.added
      ? [hunk]
      : Array.from({ length: hunk.end - hunk.start + 1 }, (_, i) => lineAt(hunk.start + i))
    for (const place of places) {
      const around = symbols.filter(
        ({ startLine, endLine }) => startLine <= place.start && endLine >= place.end,
      )
      const innermost = around.reduce<CodeSymbol | null>(
        (best, symbol) =>
          best === null || symbol.endLine - symbol.startLine < best.endLine - best.startLine ? symbol : best,
        null,
      )
      if (innermost !== null) found.add(innermost)
    }
  }
  return [...found]
    .sort((a, b) => a.startLine - b.startLine)
    .map(({ name, kind, owner, startLine, endLine }) => ({
      name,
      kind,
      owner,
      start: startLine,
      end: endLine,
    }))
}

function lineAt(line: number): Lines {
  return { start: line, end: line }
}

/**
 * Names of the changed definitions, and compound names that the changed files define or the changed lines
 * contain.
 */
function answerWords(
  files: readonly TaskFile[],
  changes: readonly FileChange[],
  reader: BaseReader,
): Set<string> {
  const words = new Set<string>()
  for (const { path, definitions } of files) {
    for (const { name, owner } of definitions) words.add(name).add(owner ?? name)
    for (const { name } of reader.symbolsOf(path)) if (isCompound(name)) words.add(name)
    const lines = changes.find((change) => change.path === path)?.hunks.flatMap((hunk) => hunk.lines) ?? []
    for (const [word] of lines.join("\n").matchAll(/[\w$-]+/gu)) if (isCompound(word)) words.add(word)
  }
  return words
}

function mainLanguage(files: readonly TaskFile[]): string {
  const counts = Map.groupBy(files, ({ language }) => language)
  return [...counts].sort(([, a], [, b]) => b.length - a.length)[0]![0]
}

/**
 * True for code of the project other than tests. Markup, styles and the like do not count, because their
 * changes follow from those of code.
 */
function isSource(path: string): boolean {
  const language = languageOf(path, "")
  return (
    contentKindOf(language) === "code" && !NOT_SOUGHT.has(language.id) && (pathFlags(path) & NO_SOURCE) === 0
  )
}

function isTest(path: string): boolean {
  return (
    contentKindOf(languageOf(path, "")) === "code" &&
    (pathFlags(path) & FILE_FLAG.test) !== 0 &&
    (pathFlags(path) & NO_PROJECT_CODE) === 0
  )
}

type BaseFile = { readonly language: string; readonly lines: number; readonly symbols: readonly CodeSymbol[] }

/** Files of the base commit, each parsed once. */
class BaseReader {
  readonly #gitDir: string
  readonly #blobs: Map<string, { readonly id: string; readonly size: number }>
  readonly #files = new Map<string, BaseFile | null>()

  constructor(gitDir: string, base: string) {
    this.#gitDir = gitDir
    this.#blobs = new Map(listBlobs(gitDir, base).map(({ path, id, size }) => [path, { id, size }]))
  }

  has(path: string): boolean {
    return this.#blobs.has(path)
  }

  blobOf(path: string): string | null {
    return this.#blobs.get(path)?.id ?? null
  }

  /** The definitions of a file that has been read. */
  symbolsOf(path: string): readonly CodeSymbol[] {
    return this.#files.get(path)?.symbols ?? []
  }

  /** Null for a file that is generated, too large or binary. */
  async read(path: string): Promise<BaseFile | null> {
    let file = this.#files.get(path)
    if (file === undefined) {
      file = await this.#parse(path)
      this.#files.set(path, file)
    }
    return file
  }

  async #parse(path: string): Promise<BaseFile | null> {
    const blob = this.#blobs.get(path)
    if (blob === undefined || blob.size > MAX_FILE_BYTES) return null
    const bytes = readBlobs(this.#gitDir, [blob.id])[0]
    const text = bytes ? (decodeText(bytes)?.text ?? null) : null
    if (text === null || (fileFlags(path, text) & NO_PROJECT_CODE) !== 0) return null
    const parsed = await parseFile(path, text, PARSE)
    const symbols = parsed.chunks.flatMap((chunk) => chunk.symbols)
    return { language: parsed.language, lines: parsed.lines, symbols }
  }
}
