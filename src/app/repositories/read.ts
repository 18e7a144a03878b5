import { AmanError } from "../../base/errors.ts"
import { elapsedMs } from "../../base/log.ts"
import { tokensIn } from "../../text/token-count.ts"
import type { ReadAnswer, ResultCommit } from "../answers.ts"
import type { Project } from "../project/open-project.ts"
import { type ReadRequest, readFile } from "../project/read-file.ts"
import { type SkippedPath, skippedFiles } from "../project/status-project.ts"
import type { GrepAnswer, GrepQuestion, GrepResult } from "../search/grep-answer.ts"
import { askEach, isDivided, type PartAnswer, type PartOptions } from "./ask-each.ts"
import { chooseRepositories, chooseRepository } from "./choose.ts"
import { type Configured, commitsOf } from "./configured.ts"
import type { OpenClone } from "./search-parts.ts"

/**
 * Reads a file of another repository, or some of its lines; refuses paths outside the clone, links followed.
 */
export async function readRepositoryFile(
  configured: Configured,
  wanted: string,
  request: ReadRequest,
  open: OpenClone,
): Promise<ReadAnswer> {
  const { name, project } = openedRepository(configured, wanted, open)
  try {
    const [at] = commitsOf(configured, [{ repository: name }])
    return { repository: name, commit: at?.commit ?? null, ...(await readFile(project, request)) }
  } catch (error) {
    throw error instanceof AmanError ? inRepository(error, name, request.path) : error
  }
}

/** Like `skippedFiles`, for another repository. */
export function skippedInRepository(
  configured: Configured,
  wanted: string,
  reason: string | undefined,
  open: OpenClone,
): SkippedPath[] {
  return skippedFiles(openedRepository(configured, wanted, open).project, reason)
}

/** Throws NOT_FOUND for a repository that is not configured or not cloned yet. */
function openedRepository(
  configured: Configured,
  wanted: string,
  open: OpenClone,
): { readonly name: string; readonly project: Project } {
  const repository = chooseRepository(configured, wanted)
  const { name } = repository
  const project = open(repository)
  if (project !== null) return { name, project }
  throw new AmanError("NOT_FOUND", `${name} has not been cloned yet`, {
    hint: `run: aman repos sync ${name}`,
  })
}

/**
 * Rewrites an error about a path: the message does not contain the folder of the clone, and its hint names the
 * setting for other repositories.
 */
export function inRepository(error: AmanError, name: string, path: string): AmanError {
  const { code, cause } = error
  const quoted = JSON.stringify(path)
  if (code === "NOT_FOUND") {
    return new AmanError(code, `no file ${quoted} in ${name}`, {
      hint: "paths are relative to the root of the repository, as in search results",
      cause,
    })
  }
  if (code === "OUTSIDE_ROOT" && error.message.endsWith("is outside the project")) {
    return new AmanError(code, `${quoted} is outside the repository ${name}`, {
      hint: "use a path relative to its root, without ..",
      isUnknownName: true,
      cause,
    })
  }
  const hint = error.hint?.replace("AMAN_MAX_FILE_SIZE", "AMAN_REPOS_MAX_FILE_SIZE")
  return new AmanError(code, `${name}: ${error.message}`, {
    ...(hint === undefined ? {} : { hint }),
    isUnknownName: error.isUnknownName,
    cause,
  })
}

/**
 * Searches the files of other repositories for text or a regular expression, one repository after the other. Other
 * nodes search all of theirs at once; those that contribute to the page are asked again for their part of it.
 */
export async function grepRepositories(
  configured: Configured,
  wanted: string,
  question: GrepQuestion,
  options: PartOptions,
): Promise<GrepAnswer> {
  const chosen = chooseRepositories(configured, wanted).filter(({ name }) => name !== question.without)
  const ahead = isDivided(chosen, options)
    ? await askEach(chosen, { kind: "grep", question }, options)
    : new Map<string, PartAnswer<"grep">>()
  const sources = chosen.map((repository): GrepSource => {
    const ask = async (part: GrepQuestion) =>
      answerWithin(ahead.get(repository.id), question, part) ??
      (await askEach([repository], { kind: "grep", question: part }, options)).get(repository.id)!
    return { name: repository.name, ask }
  })
  const answer = await grepInTurn(question, sources)
  const notices = [...configured.problems, ...answer.notices]
  return { ...answer, notices, commits: commitsOf(configured, answer.results) }
}

/** Something that answers a part of a text search. */
export type GrepSource = {
  /** Name of the repository; null if the results and notices of this source name theirs. */
  readonly name: string | null
  readonly ask: (part: GrepQuestion) => Promise<PartAnswer<"grep">>
}

/** Max notices about repositories that do not have the wanted paths. */
const MAX_MISSING = 3

/**
 * The answer of several sources, one after the other. Each is asked for the part of the page that those before it have
 * left, with limit 0 if they have left none, because its matches are counted. Throws NOT_FOUND if all sources do.
 */
export async function grepInTurn(
  question: GrepQuestion,
  sources: readonly GrepSource[],
): Promise<GrepAnswer> {
  const started = performance.now()
  const results: GrepResult[] = []
  const notices: string[] = []
  const commits: ResultCommit[] = []
  const sums = { files: 0, matches: 0, searched: 0 }
  let tokens = question.tokens
  let complete = true
  const missing: AmanError[] = []
  for (const { name, ask } of sources) {
    const offset = Math.max(0, question.offset - sums.files)
    const limit = question.limit - results.length
    const answer = await ask({ ...question, offset, limit, tokens: Math.max(0, Math.floor(tokens)) })
    if (typeof answer === "string") {
      notices.push(answer)
      continue
    }
    if (answer instanceof AmanError) {
      missing.push(name === null ? answer : inRepository(answer, name, question.paths.join(", ")))
      continue
    }
    complete &&= answer.complete
    const partResults: readonly GrepResult[] = answer.results
    results.push(...partResults.map((each) => (name === null ? each : { repository: name, ...each })))
    notices.push(...answer.notices.map((notice) => (name === null ? notice : `${name}: ${notice}`)))
    commits.push(...(answer.commits ?? []))
    for (const sum of ["files", "matches", "searched"] as const) sums[sum] += answer[sum]
    tokens -= tokensIn(answer.results.reduce((sum, { text }) => sum + text.length, 0))
  }
  const [first] = missing
  if (first !== undefined && missing.length === sources.length) throw first
  notices.push(...missing.slice(0, MAX_MISSING).map(({ message }) => message))
  const { query, mode, offset } = question
  const next = offset + results.length
  return {
    ...{ query, class: mode, results, ...sums, offset, complete },
    next_offset: next < sums.files && results.length > 0 ? next : null,
    partial: null,
    took_ms: elapsedMs(started),
    notices,
    commits,
  }
}

/** The answer to `part` that an answer to the whole question already contains; null if the repository has to be asked. */
function answerWithin(
  aheadAnswer: PartAnswer<"grep"> | undefined,
  whole: GrepQuestion,
  part: GrepQuestion,
): PartAnswer<"grep"> | null {
  if (aheadAnswer === undefined) return null
  if (typeof aheadAnswer === "string" || aheadAnswer instanceof AmanError) return aheadAnswer
  const { offset, limit, tokens } = part
  if (offset === whole.offset && limit === whole.limit && tokens === whole.tokens) return aheadAnswer
  return limit === 0 || aheadAnswer.files <= offset ? { ...aheadAnswer, results: [] } : null
}
