import type { ValueType } from "./values.ts"

/** The kind of a question, judged by its words. */
export type ClassifiedQuestion = {
  readonly text: string
  /** The value types that would answer it. */
  readonly wants: ReadonlySet<ValueType>
  /** Asks about the past, or compares two moments: the order of old and new entries is not changed. */
  readonly isPast: boolean
  readonly isYesNo: boolean
  /**
   * True when the question contains was, were, had or did. This alone does not make it a question about the past,
   * because people use these words about the present, too.
   */
  readonly isPastTense: boolean
  /** Asks for several things, so that several answers are right at the same time. */
  readonly isList: boolean
}

export function classifyQuestion(text: string): ClassifiedQuestion {
  const isPast = PAST.test(text) || BEFORE_SOMEBODY.test(text) || COMPARES_MOMENTS.test(text)
  return {
    text,
    wants: wantedTypes(text),
    isPast,
    isYesNo: YES_NO.test(text),
    isPastTense: /\b(?:was|were|had|did)\b/i.test(text),
    isList: LIST.test(text) || OF_TWO.test(text) || MANY.test(text),
  }
}

// "before deploying" asks about an order. "before" asks about the past at the end of a question, or in front of a time
// or a change.
const PAST =
  /\b(?:used to|formerly|previous(?:ly)?|originally|initially|at first|in the past|back then|back in|as of|historical(?:ly)?|history|old(?:er)? (?:\w+ )?(?:one|version|value|name|address|job|city|port|setting|limit|default|way)|no longer|anymore|earlier|former|before (?:the|that|this|we|i|he|she|they|it|\w+day|v?\d|(?:january|february|march|april|may|june|july|august|september|october|november|december))|(?:first|started out|begin|began) (?:with|as|using)|in (?:\w+ )?(?:19|20)\d\d|last (?:year|month|week)|(?:years?|months?|weeks?) ago|replaced|superseded|how (?:has|have|did) .* chang\w+|what changed|changes? (?:over|since)|compared (?:to|with)|evol\w+)\b|\bbefore\s*[?.!]*\s*$|\bsince when\b|\b(?:was|were|did)\b.*\b(?:old|use to)\b/i

const BEFORE_SOMEBODY = /\bbefore (?:the )?\p{Lu}/u

// "How much did it improve?", "how many days between the two?": the older entry is half of the answer.
const COMPARES_MOMENTS =
  /\bbetween\b.{1,200}\band\b|\bhow (?:much|far|many|has|have|did)\b.{1,200}\b(?:improv|increas|decreas|grow|grew|drop|fell|progress|rais|reduc|rise|rose)\w*\b|\bfrom\b.{1,80}\bto (?:[a-z]+ )?(?:\d|january|february|march|april|may|june|july|august|september|october|november|december)/i

const YES_NO =
  /^\s*(?:(?:so|and|but|ok|okay|well|hey),?\s+)?(?:is|are|was|were|am|do|does|did|have|has|had|can|could|will|would|should|may|must|isn't|aren't|don't|doesn't|didn't|haven't|hasn't)\b/i

const LIST = /\b(?:list|all|which of|what are|who are|every|everything|each|order of|summar\w+|overview)\b/i

// "Which Node do Vite and Prettier need?" has two answers.
const OF_TWO = /\bboth\b|\b\p{Lu}[\p{L}\d.-]* and (?:(?:by|of|for|in|the) )*\p{Lu}/u

// Questions with several answers that are right at the same time: "What books does she like?"
const MANY =
  /\b(?:what|which) (?:[a-z-]+ ){0,2}(?!is |was |does |has )[a-z-]{2,}[^\Wsiu]s (?:do|does|did|has|have|are|were|can)\b/i

const WANTS: readonly (readonly [RegExp, readonly ValueType[]])[] = [
  [/\bhow (?:many|often|old|long|far|big|large|fast|tall|high|heavy|frequently)\b|\bnumber of\b|\bcount\b/i, ["number"]],
  [/\bhow much\b|\b(?:price|cost|budget|salary|fee|amount|rent|pay|paid|spend|spent|worth)\b/i, ["money", "number"]],
  [/\bwhen\b|\bwhat (?:date|day|month|year)\b|\b(?:deadline|date|due|scheduled|birthday)\b/i, ["date"]],
  [/\bwhat time\b|\bhow long\b|\b(?:duration|timeout|latency|response time|personal best|interval)\b/i, ["time", "number"]],
  [/\bversions?\b/i, ["version", "number"]],
  [/\b(?:ports?|limit|size|count|level|threshold|rate|score|target|goal|quota|capacity|maximum|minimum|percentage|accuracy|coverage|retries|attempts|workers|length|dimensions?|ttl|weight|speed|code)\b/i, ["number", "percent"]],
  [/\bpercent(?:age)?\b|\brate\b|\baccuracy\b|\bcoverage\b/i, ["percent"]],
  [/\b(?:who|whom|whose|where|which|what)\b/i, ["name"]],
  [/\b(?:enabled?|disabled?|turned (?:on|off)|allowed|supported|required|flag|switch(?:ed)? (?:on|off))\b/i, ["flag"]],
] // biome-ignore format: a table

function wantedTypes(text: string): ReadonlySet<ValueType> {
  return new Set(WANTS.flatMap(([pattern, types]) => (pattern.test(text) ? types : [])))
}
