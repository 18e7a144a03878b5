/*
 * Reads what a sentence says by its wording: the clauses that deny something, and phrases of change, addition and the
 * first person. The words are English, and so are the rules that use them; in other languages only values and declared
 * supersessions are recognised.
 */

import { stem } from "../../text/index.ts"
import { contentStems, type Sentence, sentenceTokens } from "./sentences.ts"

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
  const short = COMPARATIVE.test(word) ? "" : stem(word)
  return oppositesOf(short).length > 0 ? short : ""
}

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

const CHANGING = `moved, moves, moving, renamed, switched, switches, switching, migrated, migrating, replaced, replaces,
  replacing, dropped, drops, got rid, get rid, took over, taken over, is gone, are gone, was gone, removed, removes,
  deprecated, superseded, supersedes, in favou?r of, instead of, rather than, no longer, any ?more, any longer,
  abandoned, retired, ended, slipped, swapped, handed over, called off, cancell?ed, phased out, taken out, moved out,
  (?:since|after|with) the \\w+ (?:change|rewrite|switch|move|migration|upgrade|update|rewrite)`
const MEASURED = `changed, changes, changing, updated, updates, updating, upgraded, upgrades, upgrading, downgraded,
  increased, increases, increasing, decreased, decreases, decreasing, raised, raises, raising, lowered, lowers,
  lowering, reduced, reduces, reducing, extended, extending, shortened, bumped, bumps, bumping, adjusted, adjusting,
  improved, improves, improving, grew, grown, rescheduled, postponed, delayed, doubled, halved, tripled, corrected,
  revised, promoted, expanded, tightened, relaxed, reverted, rotated, converted, rewritten, refactored, relocated`

/** Phrases which state that something was different before, such as "no longer". */
export const REPLACEMENT = anyOf(
  `${CHANGING}, ${MEASURED}, now, currently, from now on, as of now, as of today, as of this, as of v?\\d[\\d.]*,
  correction, turns out, gave up`,
)

/** Stems of the phrases in `REPLACEMENT` that are single words. */
export const CHANGE_STEMS: ReadonlySet<string> = new Set(
  `${CHANGING}, ${MEASURED}`
    .split(/,\s+/)
    .filter((phrase) => /^[a-z]+$/.test(phrase))
    .map(stem),
)

/**
 * Pronouns of the first person singular. "We" does not count, because it means the project, and neither does "us",
 * which is often a country (US). Case-sensitive: "i" does not count, and neither does "I/O".
 */
export const FIRST_PERSON = /\b(?:I|[Mm]y|[Mm]e|[Mm]ine)\b(?!\/)/

/** Phrases that add to an earlier statement. */
export const ADDITION = anyOf(
  `also, too, as well, in addition, additionally, besides, furthermore, a second, second one, another, a third,
  other than, both, likewise, similarly, on top of (?:that|it|this)`,
)

/** Negation words; an odd number of them negates the clause. */
const NEGATION = anyOf(
  `not, never, no, none, nothing, nobody, nowhere, neither, nor, cannot, \\w+n['’]t, lacks?, refus(?:e|es|ed),
  forbid\\w*, prohibit\\w*`,
  "gi",
)

/**
 * Words that deny without a negation word. A clause with one of them does not contradict a negated clause.
 */
const REFUSAL = anyOf(
  `drop\\w*, remov\\w*, gone, refus\\w*, reject\\w*, disallow\\w*, deprecat\\w*, fail\\w*, errors?, forbid\\w*, disabled,
  unsupported, lacks?, without, stopp\\w*, banned, prevent\\w*`,
)

/** Hypothetical phrases; a clause with one of them denies nothing. */
const HYPOTHETICAL = anyOf(
  `if, whether, unless, sure, certain, wonder\\w*, hope, hopes, hoping, afraid, worried, wish, should, would, could,
  might, maybe, perhaps, how to, how can, how do, how does, by not, no problem, no doubt, no matter, no idea, no wonder,
  no worries,
  can(?:not|['’]t) (?:wait|believe|imagine|get enough|complain|thank|help \\w+ing|stop \\w+ing),
  (?:I|we|you|he|she|they) can(?:not|['’]t) help$,
  never (?:forget|too late|fail(?:s|ed)? to|stop(?:s|ped)? \\w+ing),
  couldn['’]t (?:agree|be happier|have),
  (?:not|\\w+n['’]t) (?:just|only|simply|merely|necessarily|to mention|(?:[\\w'’]+ ){0,7}yet|(?:[\\w'’]+ ){0,4}(?:a lot|much|many|a ton|enough|every\\w*|(?<!at )all)),
  (?:do not|don['’]t) (?:know|think|want|forget|worry|hesitate|understand), not (?:know|think|want)`,
)

function anyOf(phrases: string, flags = "i"): RegExp {
  const alternatives = phrases.split(/,\s+/).map((phrase) => phrase.trim().replaceAll(/\s+/g, "\\s+"))
  return new RegExp(`\\b(?:${alternatives.join("|")})\\b`, flags)
}

/** Stems of the opposites of a stem; empty when it has none. */
export function oppositesOf(stemmed: string): readonly string[] {
  return OPPOSITES.get(stemmed) ?? []
}

const PAIRS = `enabled disabled, enable disable, enables disables, on off, true false, allowed forbidden, allows forbids,
  allowed disallowed, allowed prohibited, allowed banned, supported unsupported, safe unsafe, required optional,
  mandatory optional, stable unstable, works fails, works broken, passes fails, passing failing, succeeds fails,
  synchronous asynchronous, sync async, mutable immutable, ordered unordered, sorted unsorted, stateful stateless,
  blocking nonblocking, blocking non-blocking, public private, likes hates, love hate, loves hates, like dislike,
  open closed, encrypted plaintext, encrypted unencrypted, valid invalid, correct wrong, accepted rejected,
  accepts rejects, approved rejected, included excluded, includes excludes, cached uncached, known unknown,
  necessary unnecessary, reversible irreversible, deterministic nondeterministic, inclusive exclusive,
  ascending descending, increases decreases, case-sensitive case-insensitive, present absent,
  single-threaded multi-threaded, manual automatic, manually automatically, eager lazy, eagerly lazily, strict lenient,
  idempotent non-idempotent, reachable unreachable, available unavailable, possible impossible, complete incomplete,
  open resolved, open fixed, resolved unresolved, broken fixed, pending approved, pending completed, planned cancelled,
  single married, online offline, draft published`

const OPPOSITES: ReadonlyMap<string, readonly string[]> = readPairs()

function readPairs(): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const pair of PAIRS.split(/,\s*/)) {
    const [a, b] = pair.trim().split(" ").map(stem) as [string, string]
    found.set(a, [...(found.get(a) ?? []), b])
    found.set(b, [...(found.get(b) ?? []), a])
  }
  return found
}
