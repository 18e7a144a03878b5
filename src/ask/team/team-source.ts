/*
 * The repositories of a team's server as a source. In a checkout of one of them, this machine answers for that
 * repository: files that are edited, new or deleted here are shown as they are here, and files that only the team has
 * (`newInTeam`) as the team has them. While the server is unreachable, the project answers, and a notice says so.
 */

import {
  AmanError,
  elapsedMs,
  type ReadAnswer,
  type SearchAnswer,
  type SearchRequest,
  type SearchResult,
} from "../../base/index.ts"
import {
  assemble,
  bundleSummary,
  bundleTokens,
  CONTEXT_LIMITS,
  type ContextBundle,
  type ContextFile,
  type ContextRequest,
  fitBundle,
  placesIn,
  searchFor,
} from "../../context/index.ts"
import {
  ALL,
  type Project,
  type ReadRequest,
  statAt,
  TEAM_PREFIX,
  type TeamClient,
  TeamUnreachable,
  teamClient,
  teamNameOf,
  unlessNoProject,
} from "../../index/index.ts"
import { repositoryOf } from "../../memory/index.ts"
import { displayText, readableText } from "../../parse/index.ts"
import {
  Budget,
  type GrepAnswer,
  type GrepQuestion,
  type GrepResult,
  NEAREST_NOTICE,
  withNames,
} from "../../search/index.ts"
import { type SymbolAnswer, type SymbolRequest, usesByName } from "../../symbols/index.ts"
import { lineRange, loadTokenizer, readSource } from "../../text/index.ts"
import { filesNotCommitted, isCommitId, runGit } from "../../tree/index.ts"
import { type Configured, configuredRepositories } from "../repositories/configured.ts"
import { besideAnswer, NO_OTHER_NODES, type TeamAnswer, valueOrError } from "../repositories/search.ts"
import { asClone } from "../repositories/served-roots.ts"
import { type GrepSource, grepInTurn, several } from "../repositories/several.ts"
import {
  isAboutOne,
  mergeSymbolAnswers,
  type NamedAnswer,
  pageAfter,
  usesQuestion,
} from "../repositories/symbol.ts"
import { type AnswerOf, type Call, type RequestOf, type Source, sourceOf, type Verb } from "../source.ts"
import {
  contextWithNotice,
  notAskedNotice,
  noticedError,
  orThisProject,
  withNotice,
} from "./without-server.ts"

/** This machine beside the team's server. Both throw NO_ROOT outside of projects. */
export type LocalSide = {
  /** Answers while the server is unreachable. */
  readonly source: Source
  /** Calls `act` with the project that may be a checkout, whose index, if there is one, is up to date. */
  readonly use: <T>(act: (project: Project, source: Source) => Promise<T>) => Promise<T>
}

/** The questions asked of the team's repositories that a name, without "team:", selects. */
export function teamSource(team: string, local: LocalSide): Source {
  // Further questions do not wait for the server again, and the first answer has the notice.
  let isUnreachable = false
  return sourceOf(
    async <V extends Verb>(verb: V, request: RequestOf<V>, call: Call): Promise<AnswerOf<V>> => {
      if (isUnreachable) return await local.source[verb](request, call)
      const inProject = () =>
        local.use(async (project, source) => {
          const client = teamClient()
          return await IN_CHECKOUT[verb]({ project, source, team, client, call }, request)
        })
      const ask = async () =>
        (await unlessNoProject(null, inProject)) ?? (await teamClient().ask<AnswerOf<V>>(verb, team, request))
      if (verb === "read") return await ask()
      return await orThisProject(ask, async (notice) => {
        isUnreachable = true
        const answer =
          verb === "context"
            ? contextWithNotice(request as ContextRequest, notice, (asked) =>
                local.source.context(asked, call),
              )
            : withNotice((await local.source[verb](request, call)) as SearchAnswer, notice)
        return (await answer) as AnswerOf<V>
      })
    },
  )
}

/** A question about the team's repositories, asked in a project. */
type Asked = {
  readonly project: Project
  readonly source: Source
  readonly team: string
  readonly client: TeamClient
  readonly call: Call
}

const IN_CHECKOUT: { readonly [V in Verb]: (asked: Asked, request: RequestOf<V>) => Promise<AnswerOf<V>> } = {
  search: async (asked, request) => {
    const checkout = await indexedCheckout(asked)
    if (checkout === null) return await asked.client.ask<SearchAnswer>("search", asked.team, request)
    return (await searchHere(asked, checkout, request)).answer
  },
  context: contextHere,
  grep: grepHere,
  symbol: symbolHere,
  read: readHere,
}

// --- Checkouts ---

/** A project that is a checkout of one of the team's repositories. */
type Checkout = {
  readonly root: string
  /** Name of the repository on the team's server. */
  readonly repository: string
  /** The same with "team:". */
  readonly own: string
  /** The commit that the team has indexed. */
  readonly commit: string
  /** The newest commit that both have; HEAD if it is unknown. The checkout has deleted a file of it that is not here. */
  readonly base: string
  /** True if the checkout has all commits of the team, so that only deleted files of the team are not here. */
  readonly isCurrent: boolean
}

const GIT_LIMITS = { timeoutMs: 5000, maxBytes: 8 << 20 }

/** Paths that one call of git gets. */
const PATHS_AT_ONCE = 200

/**
 * The checkout that the project is, if the user may read its repository on the server and `team` selects it; else null.
 * The server does not learn the name of a repository that it does not have.
 */
async function checkoutOf({ project, team, client }: Asked): Promise<Checkout | null> {
  const repository = repositoryNameHere(project)
  if (repository === null) return null
  const listed = await client.repositoriesNamed(repository, team)
  const published = listed.find((each) => each.repository === repository)
  if (published === undefined) return null
  const { root } = project
  const { commit } = published
  const found = isCommitId(commit)
    ? await runGit(["merge-base", "HEAD", commit], { cwd: root, ...GIT_LIMITS })
    : null
  const common = found?.ok === true ? found.stdout.trim() : null
  const own = `${TEAM_PREFIX}${repository}`
  return { root, repository, own, commit, base: common ?? "HEAD", isCurrent: common === commit }
}

/** The same, but null if the project has no index. */
async function indexedCheckout(asked: Asked): Promise<Checkout | null> {
  return asked.project.reader() === null ? null : await checkoutOf(asked)
}

/**
 * The name that the team's repository of this project would have; null if the project is not the root of a clone with a
 * remote.
 */
function repositoryNameHere({ root }: Project): string | null {
  const repository = repositoryOf(root)
  return repository === null || repository.way !== "" ? null : teamNameOf(repository.workTree)
}

/** The paths of places that are in the team's commit, not here, and have not been deleted here. */
async function newInTeam(
  { root, base, isCurrent }: Checkout,
  places: readonly { readonly path: string }[],
): Promise<ReadonlySet<string>> {
  const unknown = new Set(isCurrent ? [] : places.map(({ path }) => path))
  for (const path of unknown) if (statAt(`${root}/${path}`) !== undefined) unknown.delete(path)
  const all = [...unknown]
  for (let at = 0; at < all.length; at += PATHS_AT_ONCE) {
    const some = all.slice(at, at + PATHS_AT_ONCE)
    const args = ["ls-tree", "-z", "--name-only", "--full-tree", "--", base, ...some]
    const listed = await runGit(args, { cwd: root, ...GIT_LIMITS })
    for (const path of listed.ok ? listed.stdout.split("\0") : []) unknown.delete(path)
  }
  return unknown
}

// --- Search and context ---

/**
 * A search of the checkout, as it is on this machine, and of the team's other repositories, ranked on one scale. Of the
 * checkout's repository, the team's results are those in files that only the team has. `differing`: the number of files
 * found that are not as the team has them.
 */
async function searchHere(asked: Asked, checkout: Checkout, request: SearchRequest) {
  const { project, client, team, call } = asked
  const { own, root, repository } = checkout
  const clone = asClone(own, root, project)
  const configured: Configured = {
    ...{ ...configuredRepositories({}), repositories: [clone.repository], problems: [] },
    states: () => ({ [clone.repository.id]: clone.state }),
  }
  const differing = new Set<string>()
  let searched: Pick<SearchAnswer, "repositories" | "ranked"> = {}
  const beside = async (part: Partial<SearchRequest>): Promise<TeamAnswer> => {
    const asking = client.ask<SearchAnswer>("search", team, { ...request, ...part })
    const answer = await valueOrError(asking, "USAGE")
    if (answer instanceof AmanError) return besideAnswer(answer, () => false)
    const { repositories, ranked } = answer
    searched = { ...(repositories && { repositories }), ...(ranked && { ranked }) }
    const others = answer.results.filter((result) => result.repository === own && isOther(project, result))
    const onlyThere = await newInTeam(checkout, others)
    for (const { path } of others) if (!onlyThere.has(path)) differing.add(path)
    return besideAnswer(answer, (result) => result.repository !== own || onlyThere.has(result.path))
  }
  const nodes = { ...NO_OTHER_NODES, beside }
  const answer = await several(configured, ALL, { open: () => project, nodes }).search(request, call)
  const ofOwn = answer.results.filter((result) => result.repository === own)
  for (const path of editedIn(root, ofOwn)) differing.add(path)
  const notice = `files of ${repository} that differ here are shown as they are here: ${differing.size}`
  const notices = differing.size === 0 ? answer.notices : [...answer.notices, notice]
  return { answer: { ...answer, ...searched, notices }, differing: differing.size }
}

/** True for a result of the team whose lines are others on this machine. */
function isOther(project: Project, { path, start_line, end_line, text }: SearchResult): boolean {
  const indexed = project.reader()?.store.texts
  const source = readSource(project.root, path, project.config.index.maxFileBytes, indexed && { indexed })
  if ("reason" in source) return true
  const lines = lineRange(readableText(path, source.text), start_line, end_line)
  return displayText(lines) !== text
}

function editedIn(root: string, results: readonly SearchResult[]): string[] {
  const seen = results.flatMap(({ path }) => {
    const found = statAt(`${root}/${path}`)
    return found === undefined ? [] : [{ path, size: found.size, mtimeMs: found.mtimeMs }]
  })
  return filesNotCommitted(root, seen).map(({ path }) => path)
}

/**
 * The team's context in a checkout: if files of its repository differ here (`searchHere`), all of them are shown as
 * they are here, but for those that only the team has.
 */
async function contextHere(asked: Asked, request: ContextRequest): Promise<ContextBundle> {
  const { client, team, project } = asked
  const isOverview = withNames(request.query, request.names).trim() === ""
  const [bundle, checkout] = await Promise.all([
    client.ask<ContextBundle>("context", team, request),
    isOverview ? null : indexedCheckout(asked),
  ])
  if (checkout === null) return bundle
  const { own } = checkout
  const wanted = searchFor(request)
  const { answer: merged, differing } = await searchHere(asked, checkout, wanted)
  if (differing === 0) return bundle

  const count = await loadTokenizer()
  const ofOwn = [...bundle.files, ...merged.results].filter(({ repository }) => repository === own)
  const onlyThere = await newInTeam(checkout, ofOwn)
  const isOfTeam = ({ repository, path }: { readonly repository?: string; readonly path: string }) =>
    repository !== own || onlyThere.has(path)
  // The team's files were only the nearest ones by meaning, and this checkout has the words of the task.
  const isNearest = bundle.hints.includes(NEAREST_NOTICE)
  const isFoundHere = isNearest && merged.nearest_only !== true
  const others = isFoundHere ? [] : bundle.files.filter(isOfTeam)
  const results = merged.results
    .filter((result) => !isOfTeam(result))
    .map(({ repository: _, ...result }) => result)
  // This checkout's files get the tokens that the team's files leave.
  const left = request.maxTokens - bundleTokens({ ...bundle, files: others }, count)
  const maxTokens = Math.max(CONTEXT_LIMITS.tokens.min, left)
  const found = { ...merged, results, notices: [], next_offset: null }
  const part = { ...request, maxTokens, memories: false }
  const here = await assemble(found, placesIn(project), part, null)
  const local = here.files.map((file) => ({ repository: own, ...file }))

  const files = inRankOrder(others, local, merged.results).slice(0, request.maxFiles)
  const ofTeam = isFoundHere ? [] : bundle.hints
  const hints = [...new Set([...merged.notices, ...here.hints, ...ofTeam])]
  const summary = bundleSummary(files)
  // Files of this checkout are shown as they are here, not as of a commit.
  const commits = bundle.commits?.filter(({ repository }) =>
    others.some((file) => file.repository === repository),
  )
  const whole = {
    summary,
    files,
    ...(commits === undefined ? {} : { commits }),
    hints,
    tokens: request.maxTokens,
  }
  return fitBundle(whole, request.maxTokens, count)
}

/** Both lists in one, files with code first; each list keeps its order, and the rank of results decides between them. */
function inRankOrder(
  one: readonly ContextFile[],
  other: readonly ContextFile[],
  results: readonly SearchResult[],
): ContextFile[] {
  const rankOf = (file: ContextFile | undefined) => {
    const rank = results.findIndex(
      ({ repository, path }) => repository === file?.repository && path === file?.path,
    )
    return rank < 0 ? results.length : rank
  }
  const merge = (left: readonly ContextFile[], right: readonly ContextFile[]) => {
    const [a, b] = [[...left], [...right]]
    const merged: ContextFile[] = []
    while (a.length > 0 && b.length > 0) merged.push((rankOf(a[0]) <= rankOf(b[0]) ? a : b).shift()!)
    return [...merged, ...a, ...b]
  }
  const hasCode = ({ snippets }: ContextFile) => snippets.length > 0
  const isName = (file: ContextFile) => !hasCode(file)
  return [
    ...merge(one.filter(hasCode), other.filter(hasCode)),
    ...merge(one.filter(isName), other.filter(isName)),
  ]
}

// --- Text search ---

/** Files of the team that one request returns. */
const FILES_AT_ONCE = 1000
/** Tokens of the texts that one request returns; the most that a server accepts. */
const MAX_TOKENS = 100_000

/**
 * The repository of the checkout is searched as it is on this machine; then come its files that only the team has, then
 * the other repositories.
 */
async function grepHere(asked: Asked, question: GrepQuestion): Promise<GrepAnswer> {
  const { client, team, source, call } = asked
  const checkout = await checkoutOf(asked)
  if (checkout === null) return client.ask("grep", team, question)
  const { repository, own } = checkout
  const here: GrepSource = { name: own, ask: (part) => valueOrError(source.grep(part, call), "NOT_FOUND") }
  const others: GrepSource = {
    name: null,
    ask: (part) =>
      valueOrError(client.ask<GrepAnswer>("grep", team, { ...part, without: repository }), "NOT_FOUND"),
  }
  const newer = checkout.isCurrent ? null : await newFiles(client, checkout, question)
  return grepInTurn(question, [here, ...(newer === null ? [] : [newer]), others])
}

/** The matching files of the repository that only the team has; null if there are none. */
async function newFiles(
  client: TeamClient,
  checkout: Checkout,
  question: GrepQuestion,
): Promise<GrepSource | null> {
  const { repository, own } = checkout
  const whole = { ...question, limit: FILES_AT_ONCE, tokens: MAX_TOKENS }
  const found: GrepResult[] = []
  const notices = new Set<string>()
  let complete = true
  let next: number | null = 0
  for (let asked = 0; next !== null && asked < 5; asked++) {
    const answer: GrepAnswer | AmanError = await valueOrError(
      client.ask<GrepAnswer>("grep", repository, { ...whole, offset: next }),
      "NOT_FOUND",
    )
    if (answer instanceof AmanError) return null
    const results: readonly GrepResult[] = answer.results
    const isNew = await newInTeam(checkout, results)
    found.push(...results.filter(({ path }) => isNew.has(path)))
    for (const notice of answer.notices) notices.add(notice)
    complete &&= answer.complete
    next = answer.next_offset
  }
  if (next !== null)
    notices.add(`${repository}: files that only the team has were looked for in the first ${next} that match`)
  if (found.length === 0 && complete && next === null) return null
  const matches = found.reduce((sum, each) => sum + each.matches, 0)
  const counts = { files: found.length, matches, searched: found.length }
  const ask = async ({ query, mode, offset, limit, tokens }: GrepQuestion): Promise<GrepAnswer> => {
    const budget = new Budget(tokens)
    const results = found.slice(offset, offset + limit).map((each) => cutTo(budget, each))
    const commits = results.length === 0 ? [] : [{ repository: own, commit: checkout.commit }]
    return {
      ...{ query, class: mode, results, ...counts, offset, next_offset: null, partial: null, took_ms: 0 },
      ...{ complete: complete && next === null, notices: [...notices], commits },
    }
  }
  return { name: null, ask }
}

/** The result with as many of its lines as the budget allows. */
function cutTo(budget: Budget, result: GrepResult): GrepResult {
  const { text, isWhole, lines } = budget.take(result.text)
  if (isWhole) return result
  const rows = result.text.split("\n")
  const numbers = rows.map((row) => Number(/^(\d+)[:-]/.exec(row)?.[1] ?? 0))
  const next = numbers.slice(lines).find((number) => number > 0)
  const last = numbers.slice(0, lines).findLast((number) => number > 0)
  return {
    ...result,
    text,
    cut: true,
    next_line: next ?? result.next_line,
    end_line: last ?? result.end_line,
  }
}

// --- Symbols ---

/** The largest page of a server. */
const MAX_PLACES = 1000

/**
 * The repository of a checkout that has an index is asked on this machine; then come places in files that only the team
 * has, then the other repositories.
 */
async function symbolHere(asked: Asked, whole: SymbolRequest): Promise<SymbolAnswer> {
  const { client, team, project, source, call } = asked
  const request = { ...whole, limit: Math.min(whole.limit, MAX_PLACES) }
  const checkout = await indexedCheckout(asked)
  if (checkout === null)
    return withCheckoutNotice(await client.ask<SymbolAnswer>("symbol", team, request), project)
  const started = performance.now()
  const { repository, own } = checkout
  const askOthers = (part: SymbolRequest) =>
    client.ask<SymbolAnswer>("symbol", team, { ...part, without: repository })
  const local = () => valueOrError(source.symbol(request, call), "NOT_FOUND")
  if (isAboutOne(request)) {
    // Refuses what the team cannot answer, such as the central symbols of several repositories.
    await askOthers(request)
    const answer = await local()
    if (answer instanceof AmanError) return client.ask("symbol", team, request)
    const found = [{ repository: { name: own }, answer }]
    return { ...mergeSymbolAnswers(found, [], [], request), took_ms: elapsedMs(started) }
  }
  const newer = (page: SymbolRequest) =>
    checkout.isCurrent ? Promise.resolve(null) : inNewFiles(client, checkout, page)
  const merged = await answerInTurn(project, own, request, { local: await local(), newer, askOthers })
  return { ...merged, took_ms: elapsedMs(started) }
}

/**
 * The team's answer in a checkout without an index, which shows files of the indexed commit; if it has places of this
 * checkout's repository, a notice says so.
 */
function withCheckoutNotice(answer: SymbolAnswer, project: Project): SymbolAnswer {
  if (project.reader() !== null) return answer
  const name = repositoryNameHere(project)
  const commit = answer.commits?.find(({ repository }) => repository === `${TEAM_PREFIX}${name}`)?.commit
  if (!commit) return answer
  const notice = `${name} is shown as of commit ${commit.slice(0, 12)}, not as it is in this checkout, which has no index`
  return { ...answer, notices: [...answer.notices, notice] }
}

type Sources = {
  /** The checkout's answer; NOT_FOUND if it does not define the name. */
  readonly local: SymbolAnswer | AmanError
  /** The places in files that only the team has. */
  readonly newer: (request: SymbolRequest) => Promise<SymbolAnswer | null>
  /** The team's other repositories. */
  readonly askOthers: (request: SymbolRequest) => Promise<SymbolAnswer>
}

/** The answers of the checkout, whose repository has this name, and of the team, of which each gets the rest of the page. */
async function answerInTurn(
  project: Project,
  name: string,
  request: SymbolRequest,
  { local, newer, askOthers }: Sources,
): Promise<Omit<SymbolAnswer, "took_ms">> {
  const own = { name }
  const found: NamedAnswer[] = local instanceof AmanError ? [] : [{ repository: own, answer: local }]
  const places = await newer(pageAfter(totalOf(found), request))
  if (places !== null && (found.length > 0 || places.definitions.length > 0))
    found.push({ repository: null, answer: places })

  // The places of the others follow all of the checkout's own, of which more may be found later.
  if (found.some(({ answer }) => answer.unseen_files > 0)) {
    const merged = mergeSymbolAnswers(found, [], [], request)
    return { ...merged, notices: [...merged.notices, "on a later page: the other repositories of the team"] }
  }
  const isDefined = found.length > 0
  const rest = { ...pageAfter(totalOf(found), request), isDefined }
  const others = await valueOrError(askOthers(rest), "NOT_FOUND")
  if (others instanceof AmanError) throw local instanceof AmanError ? bothMissing(local, others) : others
  if (!isDefined && isEmpty(others)) throw local
  const uses = local instanceof AmanError ? usesHere(project, own, request) : []
  const merged = mergeSymbolAnswers([...found, { repository: null, answer: others }], uses, [], request)
  return { ...merged, commits: [...found, { answer: others }].flatMap(({ answer }) => answer.commits ?? []) }
}

/** Uses of the name in the checkout, which does not define it. */
function usesHere(project: Project, repository: { readonly name: string }, request: SymbolRequest) {
  const question = usesQuestion(request)
  const uses = question === null ? null : usesByName(project, question.name, question.limit)
  return uses === null || uses.total === 0 ? [] : [{ repository, ...uses }]
}

/** The places in files that only the team has, as the answer of its repository; null if there are none. */
async function inNewFiles(
  client: TeamClient,
  checkout: Checkout,
  request: SymbolRequest,
): Promise<SymbolAnswer | null> {
  const whole = { ...request, offset: 0, limit: MAX_PLACES }
  const answer = await valueOrError(
    client.ask<SymbolAnswer>("symbol", checkout.repository, whole),
    "NOT_FOUND",
  )
  if (answer instanceof AmanError) return null
  const { definitions, related, references, unresolved } = answer
  const all = [definitions, related, references, unresolved.places].flat()
  const isNew = await newInTeam(checkout, all)
  const newOnes = <T extends { readonly path: string }>(list: readonly T[]) =>
    list.filter(({ path }) => isNew.has(path))
  if (newOnes(all).length === 0) return null
  const [newRelated, newReferences] = [newOnes(related), newOnes(references)]
  const { offset, limit } = request
  const page = <T>(list: readonly T[], before: number) =>
    list.slice(Math.max(0, offset - before), Math.max(0, offset + limit - before))
  const places = newOnes(unresolved.places)
  const isCut = answer.next_offset !== null || unresolved.total > unresolved.places.length
  return {
    ...answer,
    definitions: newOnes(definitions),
    related: page(newRelated, 0),
    references: page(newReferences, newRelated.length),
    outline: [],
    total: newRelated.length + newReferences.length,
    unseen_files: 0,
    next_offset: null,
    unresolved: { total: places.length, places },
    other_uses: 0,
    notices: isCut
      ? [
          `${checkout.repository}: files that only the team has were looked for among its first ${MAX_PLACES} places`,
        ]
      : [],
  }
}

function isEmpty({ definitions, total, unresolved }: SymbolAnswer): boolean {
  return definitions.length === 0 && total === 0 && unresolved.total === 0
}

function totalOf(found: readonly NamedAnswer[]): number {
  return found.reduce((sum, { answer }) => sum + answer.total, 0)
}

function bothMissing(here: AmanError, there: AmanError): AmanError {
  const hints = [here.hint, there.hint].filter((hint) => hint !== undefined)
  return new AmanError("NOT_FOUND", `${there.message}, nor in this checkout`, {
    hint: [...new Set(hints)].join("; "),
    cause: here,
  })
}

// --- Files ---

const HERE = "the text is that of this checkout"
const INDEXED = "the commit that the team has indexed"

/**
 * A file of the checkout's repository is shown as it is on this machine; if it differs from the team's, a notice says so. A
 * file that only one of both sides has is shown from that side. If the server is unreachable, the file of the checkout
 * is shown.
 */
async function readHere(asked: Asked, request: ReadRequest): Promise<ReadAnswer> {
  const { client, team, source } = asked
  const [answer, found] = await Promise.all([
    valueOrError(client.ask<ReadAnswer>("read", team, request)),
    valueOrError(indexedCheckout(asked)),
  ])
  if (answer instanceof TeamUnreachable) return readWithoutServer(asked, request, answer)
  const checkout = found instanceof AmanError ? null : found
  const isOwn =
    checkout !== null &&
    (answer instanceof AmanError
      ? answer.code === "NOT_FOUND" || (answer.code === "USAGE" && team === checkout.repository)
      : answer.repository === checkout.own)
  if (!isOwn) {
    if (answer instanceof AmanError) throw answer
    return answer
  }
  const local = await valueOrError(source.read(request))
  if (local instanceof AmanError) {
    if (answer instanceof AmanError) throw answer
    return { ...answer, notices: [`the text is that of ${INDEXED}; in this checkout: ${local.message}`] }
  }
  const own = { repository: checkout.own, ...local }
  if (answer instanceof AmanError) return { ...own, notices: [`${HERE}; in ${INDEXED}: ${answer.message}`] }
  return local.text === answer.text ? answer : { ...own, notices: [`${HERE}; it differs in ${INDEXED}`] }
}

/** The file of this checkout, with a notice; throws `error` if the project is no checkout of the wanted repository. */
async function readWithoutServer(
  { project, team, source }: Asked,
  request: ReadRequest,
  error: TeamUnreachable,
): Promise<ReadAnswer> {
  const name = repositoryNameHere(project)
  if (name === null || !(team === ALL || name.toLowerCase().includes(team.toLowerCase()))) throw error
  const notice = notAskedNotice(error)
  const local = await source.read(request).catch((failure: unknown) => {
    throw noticedError(failure, notice)
  })
  return { repository: `${TEAM_PREFIX}${name}`, ...local, notices: [notice] }
}
