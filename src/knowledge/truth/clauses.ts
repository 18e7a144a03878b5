import { stem } from "../../text/stem.ts"
import { contentStems, type Sentence } from "./content-stems.ts"
import { FIRST_PERSON, HYPOTHETICAL, NEGATION, REFUSAL } from "./cue-words.ts"
import { oppositesOf } from "./opposites.ts"
import { sentenceTokens } from "./sentence-tokens.ts"
import { unquoted } from "./unquoted.ts"

/** Part of a sentence that affirms or denies one thing. */
export type Clause = {
  readonly text: string
  readonly tokens: () => readonly string[]
  readonly denies: boolean
  readonly isFirstPerson: boolean
  /** Stem of the word that is denied, the first after the word of denial that is no adverb; null where nothing follows, or nothing is denied. */
  readonly predicate: string | null
  /** Denies without a word of denial. */
  readonly refuses: boolean
  /** "never": denies every case, so one case contradicts it. */
  readonly deniesAll: boolean
  readonly stems: ReadonlySet<string>
  /** Of the whole sentence. */
  readonly around: ReadonlySet<string>
  /** Stems that have an opposite. */
  readonly poles: ReadonlySet<string>
}

/** Between clauses; relative ones keep what they relate to, and lists stay whole. */
const BETWEEN =
  /[;:—–()]\s*|,\s+(?!(?:which|who|that|where|whose)\b|(?:[\w-]+\s)?[\w-]+(?:,\s|\s(?:and|or)\s))|\s+(?=(?:but|although|though|whereas|however|because|unless)\b)/i

/** "Like" where it compares. */
const LIKENESS =
  /^\s*like\b|\b(?:just|looks?|looked|looking|feels?|felt|sounds?|something|anything|is|are|was|were|be|been|it['’]s|that['’]s) like\b/g
/** "Closer" opens nothing. */
const COMPARATIVE = /^(?:clos|saf|lazi|strict|like|work)(?:er|est)s?$/

export function clausesOf(sentence: Sentence): Clause[] {
  const around = sentence.stemSet
  return sentence.text.split(BETWEEN).flatMap((text) => {
    if (text === undefined || text.trim() === "") return []
    const told = unquoted(text)
    const negations = told.match(NEGATION) ?? []
    const isWhole = negations.length === 0 && text === sentence.text
    const stems = isWhole ? around : new Set(contentStems(text.replace(NEGATION, " ")))
    if (stems.size === 0) return []
    return [
      {
        text,
        tokens: sentenceTokens(text),
        isFirstPerson: FIRST_PERSON.test(text),
        denies: negations.length % 2 === 1 && !HYPOTHETICAL.test(told) && !text.trim().endsWith("?"),
        predicate: negations.length === 1 ? predicateOf(told.split(NEGATION)[1] ?? "") : null,
        refuses: REFUSAL.test(told),
        deniesAll: /\b(?:never|no longer|not any|n['’]t any|none|nothing)\b/i.test(told),
        stems,
        around,
        // What is `true` is not said to be false, also where that is written as code is.
        poles: polesIn(text),
      },
    ]
  })
}

/** "Not automatically retried" denies retries. */
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

/** Of a word without an opposite: empty. */
function poleOf(word: string): string {
  let pole = known.get(word)
  if (pole === undefined) {
    const short = COMPARATIVE.test(word) ? "" : stem(word)
    pole = oppositesOf(short).length > 0 ? short : ""
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(word, pole)
  }
  return pole
}

const known = new Map<string, string>()
const MOST_KNOWN = 20_000
