import { stem } from "../../text/terms/stem.ts"
import { contentStems, type Sentence } from "./content-stems.ts"
import { FIRST_PERSON, HYPOTHETICAL, NEGATION, oppositesOf, REFUSAL } from "./cue-words.ts"
import { sentenceTokens } from "./sentence-tokens.ts"

/** A part of a sentence that affirms or denies one thing. */
export type Clause = {
  readonly text: string
  readonly tokens: () => readonly string[]
  readonly denies: boolean
  readonly isFirstPerson: boolean
  /**
   * Stem of the denied word: the first after the negation that is no adverb. Null when nothing follows the
   * negation, or when the number of negations is not one.
   */
  readonly predicate: string | null
  /** True when the clause denies something without a negation word, as "lacks" does. */
  readonly refuses: boolean
  /** "never": denies every case, so one case contradicts it. */
  readonly deniesAll: boolean
  readonly stems: ReadonlySet<string>
  /** Stems of the whole sentence. */
  readonly around: ReadonlySet<string>
  /** Stems in the clause that have an opposite, such as "open". */
  readonly poles: ReadonlySet<string>
}

/**
 * Separators between clauses; a relative clause stays with the word it relates to, and lists are not split.
 */
const BETWEEN =
  /[;:—–()]\s*|,\s+(?!(?:which|who|that|where|whose)\b|(?:[\w-]+\s)?[\w-]+(?:,\s|\s(?:and|or)\s))|\s+(?=(?:but|although|though|whereas|however|because|unless)\b)/i

/** "Like" used for a comparison, not as a verb. */
const LIKENESS =
  /^\s*like\b|\b(?:just|looks?|looked|looking|feels?|felt|sounds?|something|anything|is|are|was|were|be|been|it['’]s|that['’]s) like\b/g
/** Comparatives such as "closer", which are no form of "close" as the opposite of "open". */
const COMPARATIVE = /^(?:clos|saf|lazi|strict|like|work)(?:er|est)s?$/

export function clausesOf(sentence: Sentence): Clause[] {
  const around = sentence.stemSet
  return sentence.text.split(BETWEEN).flatMap((text) => {
    if (text === undefined || text.trim() === "") return []
    const prose = blankQuotations(text)
    const negations = prose.match(NEGATION) ?? []
    const isWhole = negations.length === 0 && text === sentence.text
    const stems = isWhole ? around : new Set(contentStems(text.replace(NEGATION, " ")))
    if (stems.size === 0) return []
    return [
      {
        text,
        tokens: sentenceTokens(text),
        isFirstPerson: FIRST_PERSON.test(text),
        denies: negations.length % 2 === 1 && !HYPOTHETICAL.test(prose) && !text.trim().endsWith("?"),
        predicate: negations.length === 1 ? predicateOf(prose.split(NEGATION)[1] ?? "") : null,
        refuses: REFUSAL.test(prose),
        deniesAll: /\b(?:never|no longer|not any|n['’]t any|none|nothing)\b/i.test(prose),
        stems,
        around,
        // The original text, including quotations: a value such as `true` also has its opposite when it is
        // formatted as code.
        poles: polesIn(text),
      },
    ]
  })
}

/** Adverbs are skipped: "not automatically retried" denies the retry. */
const ADVERB = /\b(?!(?:apply|reply|supply|multiply|imply|comply|rely|fly|assembly|family)\b)\w{2,}ly\b/gi

function predicateOf(denied: string): string | null {
  return contentStems(denied.replace(ADVERB, " "))[0] ?? contentStems(denied)[0] ?? null
}

function polesIn(text: string): Set<string> {
  const words =
    text
      .toLowerCase()
      .replace(LIKENESS, " ")
      .match(/[a-z-]+/g) ?? []
  return new Set(words.map(poleOf).filter((pole) => pole !== ""))
}

/** Stem of a word that has an opposite; empty for other words. */
function poleOf(word: string): string {
  let pole = poleCache.get(word)
  if (pole === undefined) {
    const short = COMPARATIVE.test(word) ? "" : stem(word)
    pole = oppositesOf(short).length > 0 ? short : ""
    if (poleCache.size >= MAX_CACHED) poleCache.clear()
    poleCache.set(word, pole)
  }
  return pole
}

const poleCache = new Map<string, string>()
const MAX_CACHED = 20_000

/**
 * Code in backticks, text in single quotes (messages and names), and flags of commands. Text in double quotes
 * is kept, because it is usually direct speech.
 */
const QUOTED =
  /`[^`\n]{1,200}`|(?<![\p{L}\p{N}])'(?!\p{N}\p{N}(?:s|(?!\p{N})))[^'\n]{1,120}'(?![\p{L}\p{N}])|(?<![\p{L}\p{N}-])--?[\p{L}][\p{L}\p{N}-]*/gu
/** Emphasis, not a quotation: "are `not` cached". */
const STRESSED = /^[`'](?:not|never|no|cannot|\p{L}+n['’]t)[`']$/iu
/** A list item without a space after its dash: "-Never retry". */
const ITEM = /^-\p{Lu}\p{Ll}/u

/**
 * Replaces quotations and command flags with spaces of the same length: "--no-edit" denies nothing, and
 * neither does the message 'no fetch'. The apostrophe of a year ('90s) does not begin a quotation.
 */
export function blankQuotations(text: string): string {
  return text.replace(QUOTED, (quoted, at: number) => {
    const isStatement = STRESSED.test(quoted) || (text.slice(0, at).trim() === "" && ITEM.test(quoted))
    return isStatement ? quoted : " ".repeat(quoted.length)
  })
}
