import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { lastAtMost } from "../../../src/base/index.ts"
import {
  type CodeSymbol,
  contentKindOf,
  languageOf,
  type ParsedFile,
  parseFile,
} from "../../../src/parse/index.ts"
import { decodeText } from "../../../src/text/index.ts"

/**
 * A question for a function, asked with the first sentence of its doc comment, which was removed from the file.
 */
export type DocQuestion = {
  readonly repository: string
  readonly language: string
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly name: string
  readonly query: string
}

type Documented = {
  readonly symbol: CodeSymbol
  readonly query: string
  readonly comment: readonly [number, number]
}

const MIN_WORDS = 5
const MAX_WORDS = 30
const ASIDE =
  /(^|\/)(tests?|testing|specs?|__tests__|testdata|fixtures?|mocks?|examples?|samples?|demos?|bench\w*|docs?|vendor|third_party|node_modules|dist|deps)(\/|$)|[._-](test|spec)s?\.|_test\.|\.min\./iu

/**
 * Copies `source` to `target` without the doc comments of `count` functions, and returns a question for each.
 * The comments are replaced by blank lines, so that all line numbers stay the same.
 */
export async function prepareQuestions(
  source: string,
  target: string,
  repository: string,
  count: number,
): Promise<DocQuestion[]> {
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  cpSync(source, target, {
    recursive: true,
    filter: (path) => !/[/\\](\.git|\.aman|node_modules)$/u.test(path),
  })
  const found: (DocQuestion & { readonly comment: readonly [number, number] })[] = []
  for (const path of filesOf(target, "")) found.push(...(await documentedIn(target, path, repository)))
  const drawn = draw(distinct(found), count, repository)
  for (const [path, questions] of Map.groupBy(drawn, (question) => question.path)) {
    blank(
      join(target, path),
      questions.map((question) => question.comment),
    )
  }
  return drawn.map(({ comment: _, ...question }) => question)
}

async function documentedIn(root: string, path: string, repository: string) {
  const decoded = decodeText(new Uint8Array(readFileSync(join(root, path))))
  if (decoded === null || decoded.text.length > 400_000) return []
  const language = languageOf(path, decoded.text)
  if (contentKindOf(language) !== "code" || language.grammar === null) return []
  const parsed = await parseFile(path, decoded.text, {
    chunkTokens: 1500,
    mergeTokens: 500,
    timeoutMs: 5_000,
  })
  return documentedSymbols(decoded.text, parsed).map(({ symbol, query, comment }) => ({
    repository,
    language: language.id,
    path,
    start_line: symbol.startLine,
    end_line: symbol.endLine,
    name: symbol.name,
    query,
    comment,
  }))
}

function documentedSymbols(text: string, parsed: ParsedFile): Documented[] {
  const lineAt = lineFinder(text)
  const comments = commentBlocks(parsed.comments, lineAt, text)
  const found: Documented[] = []
  for (const symbol of parsed.chunks.flatMap((chunk) => chunk.symbols)) {
    if ((symbol.kind !== "function" && symbol.kind !== "method") || symbol.doc === null) continue
    if (symbol.endLine - symbol.startLine < 2) continue
    const query = firstSentence(symbol.doc)
    const words = query.split(/\s+/u).length
    if (words < MIN_WORDS || words > MAX_WORDS || /deprecated|TODO|@inheritdoc|copyright/iu.test(query))
      continue
    // The block that ends just above the definition, perhaps with decorators in between, or a docstring just
    // below its first line.
    const comment = comments.find(
      ([start, end]) =>
        (end < symbol.startLine + 6 &&
          end >= symbol.startLine - 6 &&
          start <= symbol.startLine + 12 &&
          holds(text, [start, end], query)) ||
        (start > symbol.startLine && start <= symbol.startLine + 14 && holds(text, [start, end], query)),
    )
    if (comment !== undefined) found.push({ symbol, query, comment })
  }
  return found
}

function firstSentence(doc: string): string {
  const plain = doc
    .replace(/\{@\w+\s+([^}]*)\}|<[^>]+>|`/gu, "$1")
    .replace(/\s+/gu, " ")
    .trim()
  const end = plain.search(/[.:!?](\s|$)/u)
  return (end > 0 ? plain.slice(0, end) : plain).trim()
}

function holds(text: string, [start, end]: readonly [number, number], query: string): boolean {
  const lines = text
    .split("\n")
    .slice(start - 1, end)
    .join(" ")
  const first = query.split(/\s+/u).slice(0, 3)
  return first.every((word) => lines.includes(word))
}

/** Line ranges of comments; those on adjoining lines are one block. */
function commentBlocks(
  offsets: Uint32Array,
  lineAt: (offset: number) => number,
  text: string,
): [number, number][] {
  const blocks: [number, number][] = []
  for (let i = 0; i < offsets.length; i += 2) {
    const startsLine = text.slice(text.lastIndexOf("\n", offsets[i]! - 1) + 1, offsets[i]!).trim() === ""
    if (!startsLine) continue
    const range: [number, number] = [lineAt(offsets[i]!), lineAt(Math.max(offsets[i]!, offsets[i + 1]! - 1))]
    const last = blocks.at(-1)
    if (last !== undefined && range[0] <= last[1] + 1) last[1] = Math.max(last[1], range[1])
    else blocks.push(range)
  }
  return blocks
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return (offset) => lastAtMost(starts, offset) + 1
}

function blank(file: string, ranges: readonly (readonly [number, number])[]): void {
  const lines = readFileSync(file, "utf8").split("\n")
  for (const [start, end] of ranges) for (let line = start; line <= end; line++) lines[line - 1] = ""
  writeFileSync(file, lines.join("\n"))
}

/** The questions whose sentence belongs to one function only. */
function distinct<T extends DocQuestion>(questions: readonly T[]): T[] {
  const groups = Map.groupBy(questions, (question) => question.query.toLowerCase())
  return [...groups.values()].filter((group) => group.length === 1).map((group) => group[0]!)
}

/** Chooses `count` questions by the hash of their place, so that every machine chooses the same. */
function draw<T extends DocQuestion>(questions: readonly T[], count: number, seed: string): T[] {
  const key = (question: T) =>
    Bun.hash.xxHash3(`${seed}:${question.path}:${question.name}:${question.start_line}`)
  return questions
    .map((question) => ({ question, order: key(question) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1))
    .slice(0, count)
    .map(({ question }) => question)
}

function filesOf(root: string, folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = folder === "" ? name : `${folder}/${name}`
    if (ASIDE.test(path)) return []
    const stat = statSync(join(root, path), { throwIfNoEntry: false })
    if (stat?.isDirectory()) return filesOf(root, path)
    return stat?.isFile() ? [path] : []
  })
}
