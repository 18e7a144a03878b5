import { AmanError, type Config } from "../../base/index.ts"
import { languageOf, MAX_CHUNKS, type RowRange, textLines } from "../../parse/index.ts"
import { isDocument, isNotebook, readSource } from "../../text/index.ts"
import { lineProgram, programName } from "../embed/line-program.ts"
import type { FileTask, GivenChunks } from "./worker-pool.ts"

type DivideOptions = {
  readonly root: string
  readonly chunker: Config["chunker"]
  readonly maxFileBytes: number
}

/** Limits of a request to the program: number of files, and total characters unless one file alone has more. */
const MAX_FILES = 32
const MAX_CHARS = 256 << 10
/** A run asks for no more files one by one after this many of them have failed in a row. */
const MAX_FAILED_RETRIES = 3

type Answer = Pick<GivenChunks, "rows" | "failure"> | null

/**
 * Returns a function that has the user's chunker program divide files, and returns the files with what it gave; the files
 * themselves without a program. A failure of the program does not stop the run: it is recorded with the files. After a
 * request that failed, its files are sent one by one, so that one file that the program cannot divide costs only itself.
 */
export function fileDivider(
  options: DivideOptions,
): <T extends FileTask>(files: readonly T[]) => Promise<readonly T[]> {
  const { chunker } = options
  if (chunker.program === "") return async (files) => files
  const isWanted = extensionTest(chunker.extensions)
  const program = programName(chunker.program)
  // The first failure is the cause of later ones, such as that the program is left alone for some seconds.
  let firstFailure: string | null = null
  let failedRetries = 0
  return async (files) => {
    const given = new Map<string, GivenChunks>()
    for (const request of requestsOf(
      files.filter((file) => isWanted(file) && !file.givenChunks),
      options,
    )) {
      const answers = await ask(request.map(({ file }) => file))
      for (const [at, { file, hash }] of request.entries()) {
        const answer = answers[at]!
        if (answer !== null) given.set(file.path, { program, hash, ...answer })
      }
    }
    if (given.size === 0) return files
    return files.map((file) => {
      const givenChunks = given.get(file.path)
      return givenChunks === undefined ? file : { ...file, givenChunks }
    })
  }

  async function ask(files: readonly WholeFile[]): Promise<Answer[]> {
    try {
      const answers = await askChunker(chunker, options.root, files)
      failedRetries = 0
      return answers.map(answerOf)
    } catch (error) {
      const failure = failureText(error)
      firstFailure ??= failure
      const isHopeless = files.length === 1 || lineProgram(chunker.program).isResting
      return isHopeless ? files.map(failed) : await askOneByOne(files)
    }
  }

  async function askOneByOne(files: readonly WholeFile[]): Promise<Answer[]> {
    const answers: Answer[] = []
    for (const file of files) {
      if (failedRetries >= MAX_FAILED_RETRIES) {
        answers.push(failed())
        continue
      }
      try {
        answers.push(...(await askChunker(chunker, options.root, [file], true)).map(answerOf))
        failedRetries = 0
      } catch (error) {
        failedRetries++
        answers.push({ rows: null, failure: failureText(error) })
      }
    }
    return answers
  }

  function failed(): Answer {
    return { rows: null, failure: firstFailure }
  }
}

function answerOf(divided: DividedFile): Answer {
  if (divided === null) return null
  return "failure" in divided ? { rows: null, failure: divided.failure } : { rows: divided, failure: null }
}

/** The text of a failure of the program; throws any other error. */
function failureText(error: unknown): string {
  if (!(error instanceof AmanError)) throw error
  return error.hint === undefined ? error.message : `${error.message} (${error.hint})`
}

function extensionTest(extensions: readonly string[]): (file: FileTask) => boolean {
  const endings = extensions.map((extension) => `.${extension.replace(/^\./, "").toLowerCase()}`)
  return ({ path }) => {
    if (isNotebook(path) || isDocument(path)) return false
    const lower = path.toLowerCase()
    return endings.length === 0 || endings.some((ending) => lower.endsWith(ending))
  }
}

type ReadFile = { readonly file: WholeFile; readonly hash: string }

/** Reads the files whose content has changed, and groups them into requests. */
function* requestsOf(
  files: readonly FileTask[],
  { root, maxFileBytes }: DivideOptions,
): Generator<readonly ReadFile[]> {
  let request: ReadFile[] = []
  let chars = 0
  for (const { path, knownHash } of files) {
    const source = readSource(root, path, maxFileBytes)
    if ("reason" in source || source.hash === knownHash) continue
    const { text, hash } = source
    if (request.length === MAX_FILES || (request.length > 0 && chars + text.length > MAX_CHARS)) {
      yield request
      request = []
      chars = 0
    }
    const file = { path, language: languageOf(path, text).id, text, lines: textLines(text).count }
    request.push({ file, hash })
    chars += text.length
  }
  if (request.length > 0) yield request
}

/** A file to divide; `path` is relative to the root, `lines` the number of its lines. */
type WholeFile = {
  readonly path: string
  readonly language: string
  readonly text: string
  readonly lines: number
}

/** The chunks of a file by the program; null if it leaves the file to aman; or why its answer cannot be used. */
type DividedFile = readonly RowRange[] | null | { readonly failure: string }

/**
 * Asks the user's chunker program to divide files, and returns one answer for each. Throws EMBEDDER if the program does not
 * answer for these files. `isRetry`: the file was part of a request that failed.
 */
async function askChunker(
  { program, timeoutMs, programMemoryBytes }: Config["chunker"],
  root: string,
  files: readonly WholeFile[],
  isRetry = false,
): Promise<DividedFile[]> {
  const limits = { timeoutMs, maxMemoryBytes: programMemoryBytes, isRetry }
  const sent = files.map(({ path, language, text }) => ({ path, language, text }))
  const { chunks } = await lineProgram(program).ask({ op: "chunk", root, files: sent }, limits)
  const name = `the program ${programName(program)}`
  if (Array.isArray(chunks) && chunks.length === files.length)
    return files.map(({ lines }, at) => divided(chunks[at], lines, name))
  throw new AmanError("EMBEDDER", `${name} gave no list of chunks for each file`, {
    hint: "docs/programs.md describes the answer",
  })
}

/** Converts pairs of line numbers, 1-based and inclusive, to rows. */
function divided(pairs: unknown, lines: number, name: string): DividedFile {
  if (pairs === null) return null
  if (!Array.isArray(pairs)) return { failure: `${name} gave no list of chunks for a file` }
  if (pairs.length > MAX_CHUNKS) return { failure: `${name} gave more than ${MAX_CHUNKS} chunks for a file` }
  const ranges: RowRange[] = []
  let lastLine = 0
  for (const pair of pairs as readonly unknown[]) {
    const [first, last] = Array.isArray(pair) && pair.length === 2 ? (pair as unknown[]) : []
    if (!isLine(first) || !isLine(last))
      return { failure: `${name} gave a chunk that is no pair of line numbers` }
    if (first <= lastLine || last < first)
      return { failure: `${name} gave chunks that overlap or are not in order` }
    if (last > lines) return { failure: `${name} gave a chunk beyond the last line of a file` }
    ranges.push({ startRow: first - 1, endRow: last - 1 })
    lastLine = last
  }
  return ranges
}

function isLine(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0
}
