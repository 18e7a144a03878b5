import { CHARACTERS_PER_TOKEN, countTokens } from "../../text/token-count.ts"
import { excerpt } from "../truth/excerpt.ts"
import type { Folded } from "./fold-repeats.ts"

export type Spent = {
  readonly shown: readonly (Folded & { readonly text: string; readonly isWhole: boolean })[]
  readonly leftOff: readonly Folded[]
  readonly tokens: number
}

/** What a heading and a remark of one entry take. */
const TOKENS_EACH = 30
/** So much of each is worth more than more of the first. */
const ENOUGH = 60

/** As many as there is room for, the first one always; what is left then lengthens them in their order. */
export function spend(items: readonly Folded[], budget: number): Spent {
  const whole = items.map(({ entry }) => countTokens(entry.text))
  const given = whole.map((tokens) => Math.min(tokens, ENOUGH))
  const cost = given.map((tokens) => tokens + TOKENS_EACH)
  let count = 0
  let used = 0
  while (count < items.length && (count === 0 || used + cost[count]! <= budget)) used += cost[count++]!
  for (let at = 0; at < count; at++) {
    const more = Math.max(0, Math.min(whole[at]! - given[at]!, budget - used))
    given[at]! += more
    used += more
  }
  const shown = items.slice(0, count).map((item, at) => {
    const room = given[at]! === whole[at]! ? Number.POSITIVE_INFINITY : given[at]! * CHARACTERS_PER_TOKEN
    const { text, isWhole } = excerpt(item.entry.text, item.window ?? null, Math.floor(room))
    return { ...item, text, isWhole }
  })
  return { shown, leftOff: items.slice(count), tokens: used }
}
