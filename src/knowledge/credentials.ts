import { AmanError } from "../base/errors.ts"
import { CREDENTIAL_KINDS } from "./credential-kinds.ts"

export type FoundCredential = {
  /** "a GitHub token". */
  readonly kind: string
  /** From 1. */
  readonly line: number
}

/** The first thing in a text that looks like a credential. */
export function findCredential(text: string): FoundCredential | null {
  const found = byShape(text) ?? byName(text)
  return found === null ? null : { kind: found.kind, line: text.slice(0, found.at).split("\n").length }
}

/**
 * CREDENTIAL says what was found and where, never the thing itself; `n` is the entry's number, `part` what of it the
 * text is, where that is a single line.
 */
export function refuseCredential(text: string, n?: number, part?: string): void {
  const found = findCredential(text)
  if (found === null) return
  const line = part ?? `line ${found.line}`
  const place = n === undefined ? line : `entry ${n}, ${line}`
  throw new AmanError("CREDENTIAL", `${place} looks like ${found.kind}; nothing was stored`, {
    hint: "remember where it is kept instead, put it in <private>…</private>, or store it all the same with --force",
  })
}

type At = { readonly kind: string; readonly at: number }

function byShape(text: string): At | null {
  if (!ANY_SHAPE.test(text)) return null
  for (const [kind, shape] of SHAPES)
    for (const match of text.matchAll(shape)) if (!isExample(match[0])) return { kind, at: match.index }
  return null
}

const SHAPES = CREDENTIAL_KINDS.map(([kind, shape]) => [kind, new RegExp(shape, "g")] as const)
const ANY_SHAPE = new RegExp(CREDENTIAL_KINDS.map(([, shape]) => shape).join("|"))

/** Something random that is said to be secret. */
function byName(text: string): At | null {
  for (const [kind, pattern, isOther = () => false] of NAMED)
    for (const match of text.matchAll(pattern)) {
      const value = match.groups!["value"]!.replace(ENDING, "")
      if (isRandom(value) && !isOther(value)) return { kind, at: match.index }
    }
  return null
}

/** Of a sentence, or of what is bold; three asterisks mask something. */
const ENDING = /(?<!\*)\*{1,2}[.:!?]*$|(?<![.:!?])[.:!?]+$/

/** All lengths are bounded: a text may be made to take long. */
const VALUE = String.raw`(?<value>[^\s"'\`,;<>{}()[\]]{10,400})`
const NAMED: readonly (readonly [kind: string, pattern: RegExp, isOther?: (value: string) => boolean])[] = [
  [
    "a password or key",
    new RegExp(
      String.raw`(?:passw(?:or)?d|passphrase|pwd|secret|token|(?:api|access|private|secret|auth|account)[_ -]?key|credentials?)["']?\s*(?:=>|:=|[=:])\s*["']?${VALUE}`,
      "gi",
    ),
  ],
  // As a person says it. «the token is HS256-signed» says something else, so of passwords alone.
  [
    "a password or key",
    new RegExp(
      String.raw`(?:passw(?:or)?d|passphrase)(?:\s{1,9}for(?:\s{1,9}\S{1,60}){1,3}?)?\s{1,9}(?:is|was)(?:\s{1,9}now)?:?\s{1,9}["'\`*]{0,3}${VALUE}`,
      "gi",
    ),
    isOfPasswords,
  ],
  ["an authorization header", new RegExp(String.raw`\b(?:bearer|basic)\s+${VALUE}`, "gi")],
  [
    "a password in an address",
    /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:@/"']{0,100}:(?<value>[^\s:@/"'<>{}]{8,200})@/gi,
  ],
]

/** What is said of a password in the place of it: «is pbkdf2-sha256», «was NTLMv2-hashed», «is DB_SECRET_2», «was PR#12». */
function isOfPasswords(value: string): boolean {
  return (
    ALGORITHM.test(value) ||
    /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|-(?:[A-Za-z]{2,20}ed|specific)$|^[A-Z]{2,5}#\d+(?:\/|$)/.test(value)
  )
}

/** By name, with parameters that are too short to be a secret. */
const ALGORITHM =
  /^(?:argon2(?:id|[id])?|[bs]crypt|yescrypt|pbkdf2|hkdf|hmac|sha-?\d+|md[45]|blake[23][bs]?|aes|x?chacha20|ed25519|x25519|rsa|ntlm(?:v[12])?)(?:[-_/:+=.][A-Za-z0-9]{0,9})*$/i

/** Bits a character; a random hexadecimal value of ten digits has 2.6 to 3.3, a word rarely more than 3. */
const LEAST_ENTROPY = 2.8

/** Letters and digits mixed, and no word, path, variable, version or call. */
function isRandom(plain: string): boolean {
  if (plain.length < 8 || !/\d/.test(plain) || !/[a-z]/i.test(plain)) return false
  return !isExample(plain) && !CODE.test(plain) && entropy(plain) >= LEAST_ENTROPY && !hasWords(plain)
}

/** `process.env.TOKEN`, `$TOKEN`, `%TOKEN%`, `src/a1.ts`, `v1.2.3-beta`, a date. */
const CODE =
  /^[$%@&*#/~]|^[a-z_]\w*(?:\.[a-z_]\w*)+$|^(?:\.{0,2}\/)?[\w-]+(?:\/[\w.-]+)+\.\w+$|^v?\d+\.\d+|^\d{4}-\d\d-\d\d|:\/\//i

/** Of words with a number behind, as names are, or of short pieces, as keys of caches are. */
function hasWords(value: string): boolean {
  const runs = value.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []
  const words = runs.filter((run) => run.length >= 3 && /[aeiouy]/i.test(run)).join("")
  const longest = Math.max(...value.split(/[^A-Za-z0-9]+/).map((piece) => piece.length))
  return words.length > value.length / 2 || (longest < 6 && /[:/._-]/.test(value))
}

function isExample(value: string): boolean {
  return EXAMPLE.test(value) || /(.)\1{5}/.test(value)
}

const EXAMPLE =
  /example|placeholder|your|change|dummy|sample|redacted|masked|xxxx|\*\*\*|\.\.\.|123456|abcdef|deadbeef/i

/** Of Shannon, in bits a character. */
function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  const shares = [...counts.values()].map((count) => count / text.length)
  return -shares.reduce((sum, share) => sum + share * Math.log2(share), 0)
}
