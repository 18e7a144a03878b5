/**
 * Writes the pairs from which the encoder learns, as JSON lines { kind, left, right, repo }: what people say and what the
 * encoder reads of the files and chunks meant.
 *
 *   bun packages/lab/train/encoder-pairs.ts --mirrors DIR --out FILE [--never FILE]... [--questions FILE] [--only N/OF]
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { FILE_FLAG } from "../../../src/base/index.ts"
import {
  type Chunk,
  type CodeSymbol,
  contentKindOf,
  fileFlags,
  languageOf,
  parseFile,
  pathFlags,
} from "../../../src/parse/index.ts"
import { decodeText } from "../../../src/text/index.ts"
import { chunkText, nameText } from "../../encoder/index.ts"
import { git, listBlobs, readBlobs, readLog } from "./bare-repository.ts"
import { fileText, headComment } from "./file-text.ts"
import { neverTrained } from "./forbidden.ts"
import { randomFrom, shuffle } from "./random.ts"

type Line = { kind: string; left: string; right: string; repo: string }
const MAX_FILES = 700
const MAX_COMMITS = 1500
const MAX_LOG = 64 << 20
const LEFT_OUT = FILE_FLAG.vendored | FILE_FLAG.generated | FILE_FLAG.output
const PARSE = { chunkTokens: 1500, mergeTokens: 500, timeoutMs: 10_000 }
const TITLE =
  /\b(?:it|test|describe|should|scenario|context|specify|TEST_CASE|@test)\b\s*\(?\s*["'`]([^"'`\n]{12,120})["'`]/gu
/** A text that users see: a sentence, or at least four words. */
const SAID = /["'`>]([A-Z][^"'`<>{}$%\\\n]{14,120})["'`<]/gu
const NOISE =
  /^(merge|bump|release|version|update (dep|change|trans)|prepare|revert|v?\d|chore|ci\b|build\b)/iu

const { values } = parseArgs({
  options: {
    mirrors: { type: "string" },
    out: { type: "string" },
    never: { type: "string", multiple: true, default: [] },
    questions: { type: "string" },
    only: { type: "string", default: "0/1" },
  },
})
const never = new Set(values.never.flatMap((file) => [...neverTrained(file)]))
const questions = new Map<string, { path: string; line: number; question: string; commit: string }[]>()
if (values.questions)
  for (const line of readFileSync(values.questions, "utf8").trim().split("\n")) {
    const { repo, ...asked } = JSON.parse(line)
    questions.set(repo, [...(questions.get(repo) ?? []), asked])
  }
const [part, of] = values.only.split("/").map(Number) as [number, number]
const out: string[] = []
const folders = readdirSync(values.mirrors!)
  .sort()
  .filter((_, i) => i % of === part)
for (const folder of folders) {
  const repo = folder.replace("+", "/")
  const gitDir = join(values.mirrors!, folder, "repo")
  if (!folder.includes("+") || never.has(repo.toLowerCase()) || !existsSync(gitDir)) continue
  try {
    const lines = await pairsOf(repo, gitDir)
    for (const line of lines) out.push(JSON.stringify(line))
    console.log(repo, lines.length)
  } catch (error) {
    console.log(repo, String(error).slice(0, 200))
  }
}
writeFileSync(values.out!, `${out.join("\n")}\n`)

type File = {
  readonly path: string
  readonly text: string
  readonly symbols: readonly CodeSymbol[]
  readonly chunks: readonly Chunk[]
  readonly head: string
}
type Add = (kind: string, left: string, to: string) => void

async function pairsOf(repo: string, gitDir: string): Promise<Line[]> {
  const random = randomFrom(repo)
  const asked = questions.get(repo) ?? []
  const commit = asked[0]?.commit ?? headOf(gitDir)
  const files = await readFiles(gitDir, commit, new Set(asked.map(({ path }) => path)), random)
  const lines: Line[] = []
  const add: Add = (kind, left, to) => {
    const said = left.replace(/\s+/gu, " ").trim().slice(0, 400)
    if (said.length >= 8 && to.length >= 8) lines.push({ kind, left: said, right: to, repo })
  }
  const right = new Map(
    files.map(({ path, head, symbols }) => [path, fileText(path, head || firstDoc(symbols), symbols)]),
  )
  const [tests, code] = [files.filter(isTest), files.filter((file) => !isTest(file))]
  for (const file of code) {
    docPairs(file, random, add)
    saidPairs(file, random, add)
  }
  titlePairs(tests, { code, random, of: (path) => right.get(path)! }, add)
  const fileAt = new Map(code.map((file) => [file.path, file]))
  /** A text about the file and about each of its chunks that `isMeant` says. */
  const about = (kind: string, left: string, path: string, isMeant: (chunk: Chunk) => boolean) => {
    const file = fileAt.get(path)
    if (file === undefined) return
    add(kind, left, right.get(path)!)
    for (const chunk of file.chunks.filter(isMeant).slice(0, 2))
      add(`${kind} to chunk`, left, partText(file, chunk))
  }
  for (const { path, line, question } of asked)
    about("question", question, path, ({ startLine, endLine }) => startLine <= line && line <= endLine)
  for (const { subject, changed } of readCommits(gitDir, commit))
    for (const { path, names } of changed.slice(0, 2))
      about("commit", subject, path, ({ symbols }) => symbols.some(({ name }) => names.has(name)))
  return lines
}

type Titled = {
  readonly code: readonly File[]
  readonly random: () => number
  readonly of: (path: string) => string
}

/** Titles of tests with what is learned of the file of code that has the same name. */
function titlePairs(tests: readonly File[], { code, random, of }: Titled, add: Add): void {
  const byStem = new Map(code.map(({ path }) => [stemOf(path), path]))
  const titles = tests.flatMap(({ path, text }) =>
    [...text.matchAll(TITLE)]
      .slice(0, 8)
      .map(([, title]) => ({ title: title!, path: byStem.get(stemOf(path)) })),
  )
  for (const { title, path } of shuffle(titles, random).slice(0, 300))
    if (path !== undefined) add("test title", title, of(path))
}

function isTest({ path }: File): boolean {
  return (pathFlags(path) & FILE_FLAG.test) !== 0
}

/** The wanted files of code and others drawn at random, parsed. */
async function readFiles(
  gitDir: string,
  commit: string,
  wanted: ReadonlySet<string>,
  random: () => number,
): Promise<File[]> {
  const blobs = listBlobs(gitDir, commit).filter(
    ({ path, size }) =>
      size > 200 &&
      size < 150_000 &&
      (pathFlags(path) & LEFT_OUT) === 0 &&
      contentKindOf(languageOf(path, "")) === "code",
  )
  const others = blobs.filter(({ path }) => !wanted.has(path))
  const chosen = [
    ...blobs.filter(({ path }) => wanted.has(path)),
    ...shuffle(others, random).slice(0, MAX_FILES),
  ]
  const contents = readBlobs(
    gitDir,
    chosen.map(({ id }) => id),
  )
  const files: File[] = []
  for (const [i, { path }] of chosen.entries()) {
    const text = contents[i] ? decodeText(contents[i])?.text : undefined
    if (text === undefined || (fileFlags(path, text) & LEFT_OUT) !== 0) continue
    const { chunks } = await parseFile(path, text, PARSE)
    files.push({
      path,
      text,
      chunks,
      symbols: chunks.flatMap((chunk) => chunk.symbols),
      head: headComment(text),
    })
  }
  return files
}

/** The name of a file without extension and without what marks a test. */
function stemOf(path: string): string {
  return nameText(
    path
      .split("/")
      .at(-1)!
      .replace(/\.[^.]+$/u, ""),
  )
    .split(" ")
    .filter((word) => !/^(test|tests|spec|it)$/u.test(word))
    .join(" ")
}

function docPairs({ path, head, symbols }: File, random: () => number, add: Add): void {
  if (head.length >= 30) add("head comment", head, fileText(path, "", symbols))
  const documented = symbols.filter(({ doc }) => (doc ?? "").length >= 30)
  for (const symbol of shuffle(documented, random).slice(0, 6)) {
    const { name, owner, doc } = symbol
    add(
      "doc to file",
      doc!,
      fileText(
        path,
        head,
        symbols.filter((other) => other !== symbol),
      ),
    )
    add("doc to name", doc!, nameText(owner === null ? name : `${owner} ${name}`))
  }
}

/** What the encoder reads of a chunk, without what stands in `hidden`. */
function partText({ path, text }: File, { startLine, endLine, symbols }: Chunk, hidden = ""): string {
  const told = wordsOf(hidden)
  const lines = text.split("\n").slice(startLine - 1, endLine)
  const others = lines.filter((line) => {
    const words = wordsOf(line)
    return told === "" || words === "" || !(told.includes(words) || words.includes(told))
  })
  return chunkText(path, {
    names: symbols.flatMap(({ name, owner }) => (owner === null ? name : [owner, name])),
    docs: symbols.flatMap(({ doc }) => (doc === null || doc === hidden ? [] : doc)),
    text: others.join("\n"),
  })
}

function wordsOf(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase()
}

/** Documentation of definitions and texts that users see, with the chunks in which they stand, without them. */
function saidPairs(file: File, random: () => number, add: Add): void {
  const found = file.chunks.flatMap((chunk) => {
    const docs = chunk.symbols.flatMap(({ doc }) => ((doc ?? "").length >= 30 ? doc! : []))
    const texts = [...file.text.slice(chunk.start, chunk.end).matchAll(SAID)].map(([, said]) => said!)
    return [
      ...docs.map((left) => ({ kind: "doc to chunk", left, chunk })),
      ...texts
        .filter((said) => said.split(" ").length >= 4)
        .map((left) => ({ kind: "text to chunk", left, chunk })),
    ]
  })
  for (const { kind, left, chunk } of shuffle(found, random).slice(0, 5))
    add(kind, left, partText(file, chunk, left))
}

function firstDoc(symbols: readonly CodeSymbol[]): string {
  return symbols.find(({ doc }) => doc !== null)?.doc ?? ""
}

function headOf(gitDir: string): string {
  return git(gitDir, ["rev-parse", "HEAD"]).toString().trim()
}

type Commit = { readonly subject: string; readonly changed: readonly { path: string; names: Set<string> }[] }

/** Commits of one to three files of code, with the words of the lines in which git names what was changed. */
function readCommits(gitDir: string, commit: string): Commit[] {
  const log = readLog(gitDir, commit, MAX_COMMITS, MAX_LOG)
  return log
    .split("\u0001")
    .slice(1)
    .flatMap((entry) => {
      const [subject = "", rest = ""] = entry.split("\u0002")
      const diff = rest.slice(rest.indexOf("\u0003") + 1)
      const said = subject.replace(/\(?#\d+\)?|^\w+(\([^)]*\))?!?:/gu, "").trim()
      if (NOISE.test(said) || said.length < 15) return []
      const changed = diff
        .split(/^diff --git /mu)
        .slice(1)
        .flatMap((part) => {
          const path = /^\+\+\+ b\/(.+)$/mu.exec(part)?.[1]
          if (path === undefined || contentKindOf(languageOf(path, "")) !== "code") return []
          const heads = [...part.matchAll(/^@@ [^@]+@@ (.+)$/gmu)].map(([, head]) => head!)
          return { path, names: new Set(heads.join(" ").match(/[\p{L}_][\p{L}\p{N}_]*/gu)) }
        })
      return changed.length === 0 || changed.length > 3 ? [] : [{ subject: said, changed }]
    })
}
