import { EXCERPT_BUDGETS, excerpt } from "../../knowledge/truth/excerpt.ts"
import { CHARACTERS_PER_TOKEN } from "../../text/token-count.ts"
import type { RecallHit } from "./answers.ts"
import type { Detail } from "./requests.ts"

/** Of each at least this is shown, or nothing could be told from it. */
const LEAST_CHARACTERS = 120

/** Texts cut to what was asked for: by the detail, and in all to the tokens; an equal share of what is left to each. */
export function spendTokens(
  hits: readonly RecallHit[],
  detail: Detail,
  tokens = Number.POSITIVE_INFINITY,
): RecallHit[] {
  const most = detail === "count" ? 0 : EXCERPT_BUDGETS[detail]
  let left = tokens * CHARACTERS_PER_TOKEN
  return hits.map((hit, i) => {
    const share = Math.max(LEAST_CHARACTERS, Math.floor(left / (hits.length - i)))
    const { text, isWhole } = excerpt(hit.text, hit.window, Math.min(most, share))
    left -= text.length
    return isWhole ? hit : { ...hit, text, cut: true }
  })
}
