/*
 * Answers a question about a symbol from several repositories. Repositories are asked one after the other until the
 * page is full or the time is up. Those that define the name give the answer; those that only use it are added by
 * name. Without any definition the error lists hints of repositories that know the name in another form.
 */

import { AmanError, elapsedMs, plural } from "../../base/index.ts"
import { ALL } from "../../index/index.ts"
import {
  type DefinitionAnswer,
  monikersOf,
  nextOffset,
  type ReferenceAnswer,
  type RelatedAnswer,
  type SymbolAnswer,
  type SymbolRequest,
  type UsesByName,
  usesOfMonikers,
} from "../../symbols/index.ts"
import { askEach, inRepository, isDivided, type PartAnswer, type PartOptions } from "./ask-each.ts"
import {
  type Configured,
  chooseRepositories,
  chooseRepository,
  commitsOf,
  type Repository,
} from "./configured.ts"

/** Time in ms after which no more repositories are asked; notices name those left out. */
const TIMEOUT_MS = 10_000

const MAX_NAMED = 5

/**
 * The places where a symbol is defined and used in other repositories. The repositories are asked one after the
 * other, those of other nodes ahead and at the same time, and each place names its repository. For a repository that
 * only uses the name, its uses are added to the unresolved uses. Throws NOT_FOUND if no repository defines the name.
 */
export async function symbolOfRepositories(
  configured: Configured,
  wanted: string,
  request: SymbolRequest,
  options: PartOptions,
): Promise<SymbolAnswer> {
  const started = performance.now()
  checkRequest(request)
  const selected = isAboutOne(request)
    ? [onlyOne(configured, wanted, request)]
    : chooseRepositories(configured, wanted)
  const chosen = selected.filter(({ name }) => name !== request.without)
  const asked = await askInOrder(chosen, request, options)
  const isEnough = request.isDefined === true || chosen.length === 0
  if (asked.found.length === 0 && !isEnough) throw nothingIn(chosen, asked, request)
  const joined = usesByMoniker(chosen, asked, request, options)
  const users = await withoutDefinition(asked, request, options)
  const merged = mergeSymbolAnswers(asked.found, users, joined, request)
  const notices = [...configured.problems, ...asked.notices, ...merged.notices]
  const { definitions, references, related, outline, unresolved } = merged
  const results = [definitions, references, related, outline, unresolved.places].flat()
  return { ...merged, notices, took_ms: elapsedMs(started), commits: commitsOf(configured, results) }
}

/** Relations that are answered for one repository only, because they list files or rank symbols of a single project. */
const ONE_ONLY: ReadonlySet<SymbolRequest["relation"]> = new Set([
  "outline",
  "unused",
  "central",
  "impact",
  "tests",
])

/** True for a relation that one repository answers alone. */
export function isAboutOne({ relation }: SymbolRequest): boolean {
  return ONE_ONLY.has(relation)
}

function checkRequest({ diff, exact }: SymbolRequest): void {
  if (diff !== undefined)
    throw new AmanError("USAGE", "the changes of another repository are not known here", {
      hint: "clone it and ask there, or ask for the impact of a name",
    })
  if (exact)
    throw new AmanError("USAGE", "language servers are only asked about this project", {
      hint: "leave out exact, or clone the repository and ask there",
    })
}

function onlyOne(configured: Configured, wanted: string, { relation }: SymbolRequest): Repository {
  if (wanted.trim() !== ALL || configured.repositories.length === 1)
    return chooseRepository(configured, wanted)
  throw new AmanError("USAGE", `${relation} is about one repository`, {
    hint: "give the name of a repository",
  })
}

type RepositoryAnswer = { readonly repository: Repository; readonly answer: SymbolAnswer }

/** An answer with the name of its repository; null if its places and notices name theirs. */
export type NamedAnswer = {
  readonly repository: { readonly name: string } | null
  readonly answer: SymbolAnswer
}

/** A repository that does not define the name, with the reason. */
type RepositoryWithoutName = { readonly repository: Repository; readonly error: AmanError }

type SymbolAnswers = {
  readonly found: readonly RepositoryAnswer[]
  readonly missing: readonly RepositoryWithoutName[]
  readonly notices: readonly string[]
}

/**
 * The answers of repositories until the page is full. A repository whose total is not known yet ends the page, because
 * the places of the next repositories follow all of its own.
 */
async function askInOrder(
  chosen: readonly Repository[],
  request: SymbolRequest,
  options: PartOptions,
): Promise<SymbolAnswers> {
  const deadline = performance.now() + TIMEOUT_MS
  const found: RepositoryAnswer[] = []
  const missing: RepositoryWithoutName[] = []
  const notices: string[] = []
  const ahead = isDivided(chosen, options)
    ? await askEach(chosen, { kind: "symbol", question: request }, options)
    : new Map<string, PartAnswer<"symbol">>()
  let placesBefore = 0
  for (const [at, repository] of chosen.entries()) {
    const aheadAnswer = ahead.get(repository.id)
    const isOpenEnded = (found.at(-1)?.answer.unseen_files ?? 0) > 0
    if (
      isOpenEnded ||
      options.signal?.aborted ||
      (aheadAnswer === undefined && performance.now() > deadline)
    ) {
      notices.push(unaskedNote(chosen.slice(at), isOpenEnded))
      break
    }
    const isPage = placesBefore === 0 || typeof aheadAnswer === "string" || aheadAnswer instanceof AmanError
    const part = { kind: "symbol", question: pageAfter(placesBefore, request) } as const
    const answer = (isPage && aheadAnswer) || (await askEach([repository], part, options)).get(repository.id)!
    if (typeof answer === "string") notices.push(answer)
    else if (answer instanceof AmanError) missing.push({ repository, error: answer })
    else {
      found.push({ repository, answer })
      placesBefore += answer.total
    }
  }
  return { found, missing, notices }
}

/**
 * The request for the rest of the page after `before` places. If the page is full, the limit is 0, and the places of
 * the next repository are only counted.
 */
export function pageAfter(before: number, request: SymbolRequest): SymbolRequest {
  const offset = Math.max(0, request.offset - before)
  return { ...request, offset, limit: Math.max(0, request.offset + request.limit - before - offset) }
}

function unaskedNote(left: readonly Repository[], isOpenEnded: boolean): string {
  const names = left.slice(0, MAX_NAMED).map(({ name }) => name)
  const which =
    left.length > MAX_NAMED ? `${names.join(", ")} and ${left.length - MAX_NAMED} more` : names.join(", ")
  return isOpenEnded ? `on a later page: ${which}` : `partial: out of time before ${which}`
}

/**
 * The error for a name that no repository defines. Its hints come from repositories in which the name occurs in
 * another way.
 */
function nothingIn(
  chosen: readonly Repository[],
  { missing, notices }: SymbolAnswers,
  { relation, name, path }: SymbolRequest,
): AmanError {
  const [first] = missing
  if (first === undefined)
    return new AmanError("NOT_FOUND", notices[0] ?? "no repository could be asked", {
      hint: "try again shortly",
    })
  if (relation === "outline") return inRepository(first.error, first.repository.name, path ?? name ?? "")
  const where = chosen.length === 1 ? first.repository.name : `${missing.length} repositories`
  const message =
    name === undefined ? first.error.message : `no definition of ${JSON.stringify(name)} in ${where}`
  const byHint = Map.groupBy(missing, ({ error }) => error.hint ?? "")
  // A hint that many repositories return is general advice; a hint of few repositories is about this name.
  const hints = [...byHint]
    .sort(([, some], [, others]) => some.length - others.length)
    .slice(0, MAX_NAMED)
    .map(([hint, [some]]) => (byHint.size === 1 ? hint : `${some!.repository.name}: ${hint}`))
  return new AmanError("NOT_FOUND", message, { hint: hints.join("; ") })
}

type RepositoryUses = UsesByName & { readonly repository: { readonly name: string } }

/** Uses of the name in repositories that do not define it. They are listed with the first page. */
async function withoutDefinition(
  { missing }: SymbolAnswers,
  request: SymbolRequest,
  options: PartOptions,
): Promise<readonly RepositoryUses[]> {
  const question = usesQuestion(request)
  if (question === null) return []
  const repositories = missing.map(({ repository }) => repository)
  const uses = await askEach(repositories, { kind: "uses", question }, options)
  return repositories.flatMap((repository) => {
    const found = uses.get(repository.id)
    const isFound = typeof found === "object" && !(found instanceof AmanError) && found.total > 0
    return isFound ? [{ repository, ...found }] : []
  })
}

/** The question for uses of the name in repositories that do not define it; null if the request does not list any. */
export function usesQuestion(
  request: SymbolRequest,
): { readonly name: string; readonly limit: number } | null {
  const { relation, name, path, limit, offset } = request
  const listsUses = relation === "references" || relation === "callers"
  return listsUses && name !== undefined && offset === 0 && !path ? { name: name.trim(), limit } : null
}

/**
 * Uses in one repository of what another one defines, by the package and symbol that their imported SCIP indexes name.
 * They are listed with the first page. Only indexes on this machine can have imported ones.
 */
function usesByMoniker(
  chosen: readonly Repository[],
  { found }: SymbolAnswers,
  { relation, name, path, offset }: SymbolRequest,
  { open }: PartOptions,
): readonly RepositoryUses[] {
  if ((relation !== "references" && relation !== "callers") || name === undefined || offset > 0) return []
  return found.flatMap(({ repository: home }) => {
    const project = open(home)
    const monikers = project === null ? [] : monikersOf(project, name.trim(), path)
    if (monikers.length === 0) return []
    return chosen.flatMap((repository) => {
      const other = repository.id === home.id ? null : open(repository)
      const places = other === null ? [] : usesOfMonikers(other, monikers)
      return places.length === 0 ? [] : [{ repository, total: places.length, places }]
    })
  })
}

/** All answers as one. `users`: uses of the name in repositories that do not define it; `joined`: see usesByMoniker. */
export function mergeSymbolAnswers(
  found: readonly NamedAnswer[],
  users: readonly RepositoryUses[],
  joined: readonly RepositoryUses[],
  { name, relation, limit, offset }: SymbolRequest,
): Omit<SymbolAnswer, "took_ms"> {
  const first = found[0]?.answer
  const all = <T extends object>(list: (answer: SymbolAnswer) => readonly T[]) =>
    found.flatMap(({ repository, answer }) => list(answer).map((each) => labelled(repository, each)))
  const definitions: readonly DefinitionAnswer[] = all(({ definitions }) => definitions)
  const related: readonly RelatedAnswer[] = all((answer) => answer.related)
  const exact = joined.flatMap(({ repository, places }) => places.map((each) => labelled(repository, each)))
  const isExact = placesIn(exact)
  const byName = users.flatMap(({ repository, places }) => places.map((each) => labelled(repository, each)))
  const resolved = byName.filter(isExact).length
  const unresolved: readonly ReferenceAnswer[] = [
    ...all((answer) => answer.unresolved.places),
    ...byName.filter((each) => !isExact(each)),
  ]
  const sum = (count: (answer: SymbolAnswer) => number) =>
    found.reduce((total, { answer }) => total + count(answer), 0)
  const paged = sum((answer) => answer.total)
  const total = paged + exact.length
  const unseen = sum((answer) => answer.unseen_files)
  const userTotal = users.reduce((all, each) => all + each.total, 0)
  return {
    name: first?.name ?? name ?? null,
    relation,
    // The answer of a single repository keeps its order, which puts the best match first.
    definitions: (found.length === 1
      ? definitions
      : definitions.toSorted((one, other) => other.centrality - one.centrality)
    ).slice(0, limit),
    related,
    references: [...all(({ references }) => references), ...exact],
    outline: all(({ outline }) => outline),
    tests: first?.tests ?? [],
    files: first?.files ?? [],
    ...(first?.commands && { commands: first.commands }),
    total,
    unseen_files: unseen,
    next_offset: nextOffset({ offset, limit }, paged, unseen),
    unresolved: {
      total: sum((answer) => answer.unresolved.total) + userTotal - resolved,
      places: unresolved.slice(0, limit),
    },
    other_uses: sum((answer) => answer.other_uses),
    partial: found.find(({ answer }) => answer.partial !== null)?.answer.partial ?? null,
    notices: [
      ...found.flatMap(({ repository, answer }) =>
        answer.notices.map((notice) => (repository === null ? notice : `${repository.name}: ${notice}`)),
      ),
      ...joined.map(
        ({ repository, total: uses }) =>
          `${repository.name}: ${plural(uses, "use")} by the package and symbol in its imported SCIP index`,
      ),
      ...users.map(
        ({ repository, total: uses }) =>
          `${repository.name} does not define the name and uses it in ${uses} ${uses === 1 ? "place" : "places"}`,
      ),
    ],
  }
}

/** Returns a function that tells whether a place is one of `all`, by repository, path and line. */
function placesIn(all: readonly ReferenceAnswer[]): (place: ReferenceAnswer) => boolean {
  const keyOf = ({ repository, path, line }: ReferenceAnswer) => `${repository} ${path}:${line}`
  const keys = new Set(all.map(keyOf))
  return (place) => keys.has(keyOf(place))
}

/** The place with the name of its repository, unless that is null. */
function labelled<T extends object>(
  repository: { readonly name: string } | null,
  each: T,
): T & { readonly repository?: string } {
  return repository === null ? each : { repository: repository.name, ...each }
}
