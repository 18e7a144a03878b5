import { AmanError } from "../../../base/errors.ts"
import { elapsedMs } from "../../../base/log.ts"
import type { Project } from "../../project/open-project.ts"
import { TEAM_PREFIX } from "../../repositories/choose.ts"
import {
  isAboutOne,
  mergeSymbolAnswers,
  type NamedAnswer,
  pageAfter,
  usesQuestion,
} from "../../repositories/symbol.ts"
import { usesByName } from "../../symbols/other-repositories.ts"
import type { SymbolAnswer, SymbolRequest } from "../../symbols/symbol-answer.ts"
import { type Checkout, checkoutOf, newInTeam, teamRepositoryHere } from "./checkout.ts"
import { type TeamClient, teamClient } from "./client.ts"
import { withCheckoutNotice } from "./local-files.ts"
import { valueOrError } from "./value-or-error.ts"

/** The largest page of a server. */
const MAX_PLACES = 1000

/**
 * Asks the team's repositories about a symbol. In a checkout of one of them that has an index, that repository is asked on
 * this machine; then come places in files that only the team has (`newInTeam`), then the other repositories. `ask` asks
 * the project.
 */
export async function symbolOfTeamHere(
  project: Project,
  team: string,
  request: SymbolRequest,
  ask: (request: SymbolRequest) => Promise<SymbolAnswer>,
): Promise<SymbolAnswer> {
  const client = teamClient()
  if (teamRepositoryHere(project) === null)
    return withCheckoutNotice(await client.symbol(team, request), project)
  const checkout = await checkoutOf(project, team, client)
  if (checkout === null) return client.symbol(team, request)
  const started = performance.now()
  const { repository } = checkout
  const askOthers = (asked: SymbolRequest) => client.symbol(team, { ...asked, without: repository })
  const local = () => valueOrError(ask(request), "NOT_FOUND")
  if (isAboutOne(request)) {
    // Refuses what the team cannot answer, such as the central symbols of several repositories.
    await askOthers(request)
    const answer = await local()
    if (answer instanceof AmanError) return client.symbol(team, request)
    const found = [{ repository: { name: `${TEAM_PREFIX}${repository}` }, answer }]
    return { ...mergeSymbolAnswers(found, [], [], request), took_ms: elapsedMs(started) }
  }
  const newer = (page: SymbolRequest) =>
    checkout.isCurrent ? Promise.resolve(null) : inNewFiles(client, checkout, page)
  const merged = await answerInTurn(project, repository, request, { local: await local(), newer, askOthers })
  return { ...merged, took_ms: elapsedMs(started) }
}

type Sources = {
  /** The checkout's answer; NOT_FOUND if it does not define the name. */
  readonly local: SymbolAnswer | AmanError
  /** The places in files that only the team has. */
  readonly newer: (request: SymbolRequest) => Promise<SymbolAnswer | null>
  /** The team's other repositories. */
  readonly askOthers: (request: SymbolRequest) => Promise<SymbolAnswer>
}

/** The answers of the checkout of `repository` and of the team, of which each gets the rest of the page. */
async function answerInTurn(
  project: Project,
  repository: string,
  request: SymbolRequest,
  { local, newer, askOthers }: Sources,
): Promise<Omit<SymbolAnswer, "took_ms">> {
  const own = { name: `${TEAM_PREFIX}${repository}` }
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
  const answer = await valueOrError(client.symbol(checkout.repository, whole), "NOT_FOUND")
  if (answer instanceof AmanError) return null
  const { definitions, related, references, unresolved } = answer
  const all = [definitions, related, references, unresolved.places].flat()
  const isNew = await newInTeam(
    checkout,
    all.map(({ path }) => path),
  )
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
