import { stem } from "../../text/stem.ts"
import { contentStems } from "./content-stems.ts"
import { FIRST_PERSON, HYPOTHETICAL, NEGATION } from "./cue-words.ts"
import { oppositesOf } from "./opposites.ts"
import { sentenceTokens } from "./sentence-tokens.ts"

/** Part of a sentence that affirms or denies one thing. */
export type Clause = {
  readonly text: string
  readonly tokens: () => readonly string[]
  readonly denies: boolean
  readonly isFirstPerson: boolean
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

export function clausesOf(sentence: string): Clause[] {
  const around = new Set(contentStems(sentence))
  return sentence.split(BETWEEN).flatMap((text) => {
    if (text === undefined || text.trim() === "") return []
    const negations = text.match(NEGATION) ?? []
    const stems = new Set(contentStems(text.replace(NEGATION, " ")))
    if (stems.size === 0) return []
    return [
      {
        text,
        tokens: sentenceTokens(text),
        isFirstPerson: FIRST_PERSON.test(text),
        denies: negations.length % 2 === 1 && !HYPOTHETICAL.test(text) && !text.trim().endsWith("?"),
        deniesAll: /\b(?:never|no longer|not any|n['’]t any|none|nothing)\b/i.test(text),
        stems,
        around,
        poles: new Set(
          (
            text
              .toLowerCase()
              .replace(LIKENESS, " ")
              .match(/[a-z-]+/g) ?? []
          )
            .filter((word) => !COMPARATIVE.test(word))
            .map(stem)
            .filter((one) => oppositesOf(one).length > 0),
        ),
      },
    ]
  })
}
