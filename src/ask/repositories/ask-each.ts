/*
 * Asks each of several repositories for its own answer about a text or a symbol; the callers merge the answers.
 * Repositories that another node of a team holds are asked there, all nodes at the same time.
 */

import { AmanError } from "../../base/index.ts"
import { type GrepAnswer, type GrepCaller, type GrepQuestion, grepCaller } from "../../search/index.ts"
import { type SymbolAnswer, type SymbolRequest, type UsesByName, usesByName } from "../../symbols/index.ts"
import { projectSource } from "../source.ts"
import type { Repository } from "./configured.ts"
import { NO_OTHER_NODES, type OpenClone, type OtherNodes } from "./search.ts"

type PartQuestions = {
  readonly grep: GrepQuestion
  readonly symbol: SymbolRequest
  /** Uses of a name in a repository that does not define it. */
  readonly uses: { readonly name: string; readonly limit: number }
}

type PartAnswers = { readonly grep: GrepAnswer; readonly symbol: SymbolAnswer; readonly uses: UsesByName }

export type PartKind = keyof PartQuestions

/** A question that each repository answers by itself. */
export type Part<Kind extends PartKind = PartKind> = {
  readonly kind: Kind
  readonly question: PartQuestions[Kind]
}

/**
 * A repository's answer; a NOT_FOUND error if the repository does not have what is asked about; or a notice why it was
 * not asked.
 */
export type PartAnswer<Kind extends PartKind = PartKind> = PartAnswers[Kind] | AmanError | string

export type PartOptions = {
  readonly open: OpenClone
  readonly nodes?: OtherNodes | undefined
  readonly caller?: GrepCaller | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * The answers of all these repositories, by repository id. If a node cannot be reached, its repositories are asked here.
 * Throws USAGE and OUTSIDE_ROOT.
 */
export async function askEach<Kind extends PartKind>(
  repositories: readonly Repository[],
  part: Part<Kind>,
  options: PartOptions,
): Promise<ReadonlyMap<string, PartAnswer<Kind>>> {
  const { here, elsewhere } = (options.nodes ?? NO_OTHER_NODES).divide(repositories)
  const [localAnswers, ...nodeAnswers] = await Promise.all([
    askHere(here, part, options),
    ...elsewhere.map((node) => node.each(part)),
  ])
  const unanswered = elsewhere.flatMap((node, at) => (nodeAnswers[at] === null ? node.repositories : []))
  const fallbackAnswers = await askHere(unanswered, part, options)
  return new Map([localAnswers, ...nodeAnswers, fallbackAnswers].flatMap((each) => [...(each ?? [])]))
}

/** True if some of the repositories are on other nodes. */
export function isDivided(repositories: readonly Repository[], { nodes = NO_OTHER_NODES }: PartOptions) {
  return nodes.divide(repositories).elsewhere.length > 0
}

async function askHere<Kind extends PartKind>(
  repositories: readonly Repository[],
  part: Part<Kind>,
  options: PartOptions,
): Promise<ReadonlyMap<string, PartAnswer<Kind>>> {
  const unready = await (options.nodes ?? NO_OTHER_NODES).prepare(repositories)
  const answers = new Map<string, PartAnswer<Kind>>()
  let files = 0
  for (const repository of repositories) {
    const notice = unready.get(repository.id)
    // Once files of the repositories before fill the page, further ones are only counted.
    const isFull = isKind(part, "grep") && files >= part.question.offset + part.question.limit
    const own = isFull ? { ...part, question: { ...part.question, limit: 0 } } : part
    const answer = notice ?? (await askOne(repository, own, options))
    answers.set(repository.id, answer as PartAnswer<Kind>)
    if (typeof answer === "object" && "searched" in answer) files += answer.files
  }
  return answers
}

async function askOne(
  repository: Repository,
  part: Part,
  { open, caller = grepCaller(repository), signal }: PartOptions,
): Promise<PartAnswer> {
  const { name } = repository
  const notCloned = `${name} has not been cloned yet; run: aman repos sync`
  if (isKind(part, "grep") && caller.budget.leftMs <= 0)
    return `${name} was not asked: the time for the search was up; name fewer repositories`
  const project = open(repository)
  if (project === null) return notCloned
  try {
    const source = projectSource(project, { refresh: false, signal })
    if (isKind(part, "grep")) return await source.grep(part.question, { caller })
    if (isKind(part, "symbol")) return await source.symbol(part.question)
    if (isKind(part, "uses")) return usesByName(project, part.question.name, part.question.limit) ?? notCloned
  } catch (error) {
    const thrown = isKind(part, "grep") ? /^(?!NOT_FOUND$|TEAM$)/ : /^(?:USAGE|OUTSIDE_ROOT)$/
    if (!(error instanceof AmanError) || thrown.test(error.code)) throw error
    if (error.code === "NOT_FOUND") return error
    return `${name} was not asked: ${error.message}`
  }
  throw new Error(`no question of the kind ${part.kind} is known`)
}

function isKind<Kind extends PartKind>(part: Part, kind: Kind): part is Part<Kind> {
  return part.kind === kind
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
  return new AmanError(code, `${name}: ${error.message}`, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    isUnknownName: error.isUnknownName,
    cause,
  })
}
