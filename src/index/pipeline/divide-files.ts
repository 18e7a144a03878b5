import { AmanError } from "../../base/errors.ts"
import { languageOf } from "../../code/languages/languages.ts"
import { textLines } from "../../code/text-lines.ts"
import type { Config } from "../../config/load.ts"
import { lineProgram, programName } from "../../embed/line-program.ts"
import { isDocument } from "../../text/documents/document-text.ts"
import { isNotebook, readSource } from "../../text/files/read-source.ts"
import { askChunker, type DividedFile, type WholeFile } from "./chunker-program.ts"
import type { FileTask, GivenChunks } from "./messages.ts"

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
