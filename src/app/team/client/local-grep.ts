import { AmanError } from "../../../base/errors.ts"
import type { Project } from "../../project/open-project.ts"
import { TEAM_PREFIX } from "../../repositories/choose.ts"
import { type GrepSource, grepInTurn } from "../../repositories/read.ts"
import type { GrepAnswer, GrepQuestion, GrepResult } from "../../search/grep-answer.ts"
import { Budget } from "../../search/token-budget.ts"
import { type Checkout, checkoutOf, newInTeam } from "./checkout.ts"
import { type TeamClient, teamClient } from "./client.ts"
import { valueOrError } from "./value-or-error.ts"

/** Files of the team that one request returns, and the largest number of such requests. */
const FILES_AT_ONCE = 1000
const MAX_REQUESTS = 5
/** Tokens of the texts that one request returns; the most that a server accepts. */
const MAX_TOKENS = 100_000

/**
 * A text search in the team's repositories. In a checkout of one of them, that repository is searched as it is on this
 * machine; then come its files that only the team has (`newInTeam`), then the other repositories. `search` searches the
 * project.
 */
export async function grepTeamHere(
  project: Project,
  team: string,
  question: GrepQuestion,
  search: (question: GrepQuestion) => Promise<GrepAnswer>,
): Promise<GrepAnswer> {
  const client = teamClient()
  const checkout = await checkoutOf(project, team, client)
  if (checkout === null) return client.grep(team, question)
  const { repository } = checkout
  const here: GrepSource = {
    name: `${TEAM_PREFIX}${repository}`,
    ask: (part) => valueOrError(search(part), "NOT_FOUND"),
  }
  const others: GrepSource = {
    name: null,
    ask: (part) => valueOrError(client.grep(team, { ...part, without: repository }), "NOT_FOUND"),
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
  const { repository } = checkout
  const whole = { ...question, limit: FILES_AT_ONCE, tokens: MAX_TOKENS }
  const found: GrepResult[] = []
  const notices = new Set<string>()
  let complete = true
  let next: number | null = 0
  for (let asked = 0; next !== null && asked < MAX_REQUESTS; asked++) {
    const answer: GrepAnswer | AmanError = await valueOrError(
      client.grep(repository, { ...whole, offset: next }),
      "NOT_FOUND",
    )
    if (answer instanceof AmanError) return null
    const results: readonly GrepResult[] = answer.results
    const isNew = await newInTeam(
      checkout,
      results.map(({ path }) => path),
    )
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
    const commits =
      results.length === 0 ? [] : [{ repository: `${TEAM_PREFIX}${repository}`, commit: checkout.commit }]
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
