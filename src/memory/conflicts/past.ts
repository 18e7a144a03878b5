import { glossOf } from "../../text/index.ts"

/**
 * True for a question about the past, or one that compares two moments: the order of old and new entries is not changed.
 * "before deploying" asks about an order; "before" asks about the past at the end of a question, or in front of a time
 * or a change.
 */
export function isAboutPast(question: string): boolean {
  const asked = glossOf(question)
  const isAsked = ASKS_PAST.test(asked) || BEFORE_SOMEBODY.test(asked) || COMPARES_MOMENTS.test(asked)
  return isAsked || OTHER_PAST.test(question)
}

/** Words for the past that have several English words, so that the gloss lacks them or has one that asks nothing. */
const OTHER_PAST =
  /(?<!\p{L})(?:früher|damals|ehemals|zuvor|(?:war|hatte|galt|lautete) .*?(?<!\p{L})(?:vorher|alte[nrs]?))(?!\p{L})|以前|かつて|もともと|元々|原来|曾经|^之前/iu

const ASKS_PAST =
  /\b(?:used to|formerly|previous(?:ly)?|originally|initially|at first|in the past|back then|back in|as of|historical(?:ly)?|history|old(?:er)? (?:\w+ )?(?:one|version|value|name|address|job|city|port|setting|limit|default|way)|no longer|anymore|earlier|former|before (?:the|that|this|we|i|he|she|they|it|\w+day|v?\d|(?:january|february|march|april|may|june|july|august|september|october|november|december))|(?:first|started out|begin|began) (?:with|as|using)|in (?:\w+ )?(?:19|20)\d\d|last (?:year|month|week)|(?:years?|months?|weeks?) ago|replaced|superseded|how (?:has|have|did) .* chang\w+|what changed|changes? (?:over|since)|compared (?:to|with)|evol\w+)\b|\bbefore\s*[?.!]*\s*$|\bsince when\b|\b(?:was|were|did)\b.*\b(?:old|use to)\b/i

const BEFORE_SOMEBODY = /\bbefore (?:the )?\p{Lu}/u

// "How much did it improve?", "how many days between the two?": the older entry is half of the answer.
const COMPARES_MOMENTS =
  /\bbetween\b.{1,200}\band\b|\bhow (?:much|far|many|has|have|did)\b.{1,200}(?<!\bto )\b(?:improv|increas|decreas|grow|grew|drop|fell|progress|rais|reduc|rise|rose)\w*\b|\bfrom\b.{1,80}\bto (?:[a-z]+ )?(?:\d|january|february|march|april|may|june|july|august|september|october|november|december)/i
