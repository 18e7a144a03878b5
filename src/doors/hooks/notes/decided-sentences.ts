import { withoutContext } from "../../../memory/index.ts"

/**
 * Length in characters of a sentence to propose: shorter ones say too little without their context, longer ones say
 * several things.
 */
const LENGTH = { min: 20, max: 300 }

/**
 * The sentences of a message that state a decision, a rule or a cause, as they are written. Questions, what is only
 * considered, code, quotes and what aman itself inserted are left out.
 */
export function decidedSentences(message: string): string[] {
  const text = withoutContext(message.slice(0, 20_000)).replace(FENCED, "\n")
  const found: string[] = []
  for (const line of text.split("\n")) {
    if (QUOTED.test(line)) continue
    for (const part of line.split(SENTENCE_END)) {
      const sentence = part.replace(BULLET, "").trim()
      if (found.length < 3 && isDecided(sentence)) found.push(sentence)
    }
  }
  return found
}

function isDecided(sentence: string): boolean {
  if (sentence.length < LENGTH.min || sentence.length > LENGTH.max) return false
  return DECIDED.some((pattern) => pattern.test(sentence)) && !OPEN.some((pattern) => pattern.test(sentence))
}

const FENCED = /```[^`]*(?:```|$)/g
const QUOTED = /^\s*(?:>|<|\||@@|[+-]{3} )/
const BULLET = /^\s*(?:[-*•]|\d{1,3}[.)])\s+/
const SENTENCE_END = /(?<=[.!?])\s+(?=[A-Z`"'(])/

const DECIDED = [
  /\b(?:we|I|the team)(?:'ve| have)? (?:(?:now|just|already|finally) )?(?:decided|agreed|chose|settled on|went with|standardi[sz]ed on)\b/i,
  /^(?:decision|convention|rule|policy)\s*:/i,
  /\b(?:from now on|going forward|as a rule|by convention)\b/i,
  /^(?:please )?(?:always|never) \w/i,
  /\b(?:must|should) (?:always|never)\b/i,
  /^(?:please )?(?:do not|don't) (?:ever )?(?:use|add|commit|edit|touch|call|import)\b/i,
  /^(?:please )?remember (?:that|to)\b/i,
  /\b(?:use|prefer) [\w@`/.-]+ (?:instead of|rather than|and not|, not) [\w@`/.-]+/i,
  /\b(?:the )?root cause (?:was|is)\b/i,
]

/** Words that show that a sentence decides nothing: it asks, sets a condition, considers or offers something. */
const OPEN = [
  /\?["')]*$/,
  /^(?:if|unless|whether|suppose|imagine|what|why|how|should|shall|could|can|would|do|does|did|is|are)\b/i,
  /\b(?:maybe|perhaps|might|not sure|let me know|would you like|do you want|if you (?:want|prefer|like))\b/i,
  /\b(?:have not|haven't|has not|hasn't|not yet) (?:yet )?(?:decided|agreed)\b|\byet to decide\b/i,
]
