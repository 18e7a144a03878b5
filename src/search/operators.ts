import { languageNamed } from "../code/languages.ts"
import { SYMBOL_KINDS } from "../code/parsed-file.ts"

/** What the operators of a query ask for; any of a list's values will do. */
export type Conditions = {
  readonly files: readonly string[]
  readonly languages: readonly string[]
  readonly kinds: readonly string[]
  readonly symbols: readonly string[]
  readonly words: readonly string[]
  readonly phrases: readonly string[]
}

export type Operators = {
  /** The query without its operators: what results are ranked by. Phrases stay in it. */
  readonly text: string
  /** `words` is empty here, and of phrases each must occur. */
  readonly wanted: Conditions
  readonly unwanted: Conditions
  /** A place to find others like, as written. */
  readonly like: string | null
  /** Something besides phrases and operators stands in it. */
  readonly hasWords: boolean
  /** Every operator as typed. */
  readonly applied: readonly string[]
  /** What looked like an operator and was taken as text. */
  readonly notices: readonly string[]
}

/**
 * Reads the operators out of a query: file: lang: sym: kind: with a value that may be quoted, each also after a
 * dash, -word, "a phrase" and like: path:line. Whatever is none of these stays text, and so does -word in what was
 * pasted: several lines, or many words.
 */
export function parseOperators(query: string): Operators {
  const tokens = withoutPastedFlags(query, [...tokensOf(query)])
  const isText = (token: Token) => token.kind === "text" && HAS_WORD.test(token.raw)
  const positive = tokens.some((token) => isText(token) || (token.kind !== "text" && !token.isNegated))
  // Without anything to look for there is nothing to leave out of it.
  const read = positive ? tokens : tokens.map((token) => ({ ...asText(token), at: token.at }))
  const notices = read.flatMap((token) => (token.kind === "text" && token.notice ? [token.notice] : []))
  if (read.every((token) => token.kind === "text")) return { ...NO_OPERATORS, text: query, notices }
  const wanted = read.filter((token) => token.kind === "text" || !token.isNegated)
  const conditions = conditionsOf(wanted)
  return {
    text: textOf(query, wanted, conditions),
    wanted: conditions,
    unwanted: conditionsOf(read.filter((token) => token.kind !== "text" && token.isNegated)),
    like: valuesOf(wanted, "like").at(-1) ?? null,
    hasWords: read.some(isText),
    applied: read.flatMap((token) => (token.kind === "text" ? [] : [token.raw])),
    notices,
  }
}

// Nobody types that much to leave a word out of it.
const MOST_TYPED = 12

/** What was pasted holds command lines and lists: -Werror leaves nothing out there. */
function withoutPastedFlags(query: string, tokens: readonly Placed[]): readonly Placed[] {
  const hasLines = /\n/.test(query.trim())
  if (tokens.length <= MOST_TYPED && !hasLines) return tokens
  const flags = tokens.filter(({ kind }) => kind === "word")
  const [first] = flags
  if (first === undefined) return tokens
  const taken = flags.length === 1 ? `${first.raw} was` : `${first.raw} and ${flags.length - 1} more were`
  const why = hasLines ? "has several lines" : `is longer than ${MOST_TYPED} words`
  const notice = `${taken} taken as text: the query ${why}`
  return tokens.map((token) => {
    if (token.kind !== "word") return token
    return { ...text(token.raw), at: token.at, ...(token === first ? { notice } : {}) }
  })
}

type OperatorKind = "file" | "lang" | "sym" | "kind"
type Token =
  | { readonly kind: "text"; readonly raw: string; readonly notice?: string }
  | {
      readonly kind: OperatorKind | "word" | "phrase" | "like"
      readonly raw: string
      readonly values: readonly string[]
      readonly isNegated: boolean
    }

/** Where in the query it begins. */
type Placed = Token & { readonly at: number }

const NO_CONDITIONS: Conditions = {
  files: [],
  languages: [],
  kinds: [],
  symbols: [],
  words: [],
  phrases: [],
}

export const NO_OPERATORS: Operators = {
  text: "",
  wanted: NO_CONDITIONS,
  unwanted: NO_CONDITIONS,
  like: null,
  hasWords: true,
  applied: [],
  notices: [],
}

const HAS_WORD = /[\p{L}\p{N}]/u
const OPERATOR = /(-?)(file|lang|sym|kind):(?:"([^"]*)"|([^\s":][^\s"]*))(?=\s|$)/y
// The number tells it from prose that says «like:».
const LIKE = /like:[ \t]*(?:"([^"]+:\d+(?:-\d+)?)"|([^\s":]+:\d+(?:-\d+)?))(?=\s|$)/y
const PHRASE = /(-?)"([^"]+)"(?=[\s.,;:!?)]|$)/y
// One letter (-m) and two dashes (--flag) are what command lines have.
const EXCLUDED = /-(\p{L}[\p{L}\p{M}\p{N}_]+)(?=\s|$)/uy
const WORD = /\S+/y

function* tokensOf(query: string): Generator<Placed> {
  for (let at = 0; at < query.length; ) {
    if (/\s/u.test(query[at]!)) {
      at++
      continue
    }
    const token = operatorAt(query, at) ?? phraseAt(query, at) ?? text(matchAt(WORD, query, at)![0])
    yield { ...token, at }
    at += token.raw.length
  }
}

function operatorAt(query: string, at: number): Token | null {
  const like = matchAt(LIKE, query, at)
  if (like) return { kind: "like", raw: like[0], values: [like[1] ?? like[2]!], isNegated: false }
  const excluded = at > 0 ? matchAt(EXCLUDED, query, at) : null
  if (excluded) return { kind: "word", raw: excluded[0], values: [excluded[1]!], isNegated: true }
  const found = matchAt(OPERATOR, query, at)
  if (!found) return null
  const [raw, dash, name, quoted, bare] = found
  const value = (quoted ?? bare!).trim()
  // file://host and file:"" name no file.
  if (value === "" || value.startsWith("//")) return text(raw)
  return operator(name as OperatorKind, raw, value, dash === "-")
}

function operator(kind: OperatorKind, raw: string, value: string, isNegated: boolean): Token {
  if (kind === "file" || kind === "sym") return { kind, raw, values: [value], isNegated }
  const values = value.split(",").filter((each) => each !== "")
  const isKnown = (each: string) =>
    kind === "lang" ? languageNamed(each) !== null : SYMBOL_KINDS.some((known) => known === each)
  const unknown = values.find((each) => !isKnown(each))
  if (values.length > 0 && unknown === undefined) return { kind, raw, values, isNegated }
  const what = kind === "lang" ? "language" : "kind of symbol"
  return { ...text(raw), notice: `${raw} was taken as text: no ${what} is called ${unknown ?? value}` }
}

function phraseAt(query: string, at: number): Token | null {
  const found = matchAt(PHRASE, query, at)
  if (!found || found[2]!.trim() === "") return null
  return { kind: "phrase", raw: found[0], values: [found[2]!], isNegated: found[1] === "-" }
}

function matchAt(pattern: RegExp, query: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(query)
}

function text(raw: string): Token & { readonly kind: "text" } {
  return { kind: "text", raw }
}

function asText(token: Token): Token {
  return token.kind === "text" ? token : text(token.raw)
}

function conditionsOf(tokens: readonly Token[]): Conditions {
  return {
    files: valuesOf(tokens, "file"),
    languages: valuesOf(tokens, "lang"),
    kinds: valuesOf(tokens, "kind"),
    symbols: valuesOf(tokens, "sym"),
    words: valuesOf(tokens, "word"),
    phrases: valuesOf(tokens, "phrase"),
  }
}

function valuesOf(tokens: readonly Token[], kind: Token["kind"]): string[] {
  return tokens.flatMap((token) => (token.kind !== "text" && token.kind === kind ? token.values : []))
}

/** Words and phrases as typed, in their lines; where there are none, what operators name is as good. */
function textOf(query: string, tokens: readonly Placed[], { symbols, files }: Conditions): string {
  const words = tokens.filter((token) => token.kind === "text" || token.kind === "phrase")
  if (words.length === 0) return (symbols.length > 0 ? symbols : files).join(" ")
  let text = ""
  let end = words[0]!.at
  for (const { raw, at } of words) {
    if (text !== "") text += query.slice(end, at).includes("\n") ? "\n" : " "
    text += raw
    end = at + raw.length
  }
  return text
}
