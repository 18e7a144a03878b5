import { AmanError } from "../base/errors.ts"
import type { Flag } from "./command.ts"

/** A flag, and the name by which the parser knows it. */
export type Spelling = { readonly flag: Flag; readonly spelling: string }

/** The flag that stands for every one that is unknown; what was typed is its value. */
export const UNKNOWN = "?"

// The parser takes 007 for a number, - for a flag and --no-x for the contrary of --x, forgets whether -n or
// --limit came last, and makes a word of the value in --json=yes. It leaves alone what begins with this.
const MARK = "="

/** What was typed, written so that it can be read in one way only; what follows "--" stays as it is. */
export function spellOut(argv: readonly string[], spellings: readonly Spelling[]): string[] {
  const end = argv.indexOf("--")
  const before = end < 0 ? argv : argv.slice(0, end)
  const written = before.flatMap((typed, at) =>
    NEGATIVE.test(typed) && awaitsValue(before[at - 1], spellings)
      ? [MARK + typed]
      : spelled(typed, spellings),
  )
  return [...written, ...(end < 0 ? [] : argv.slice(end))]
}

// No flag is called so: where a value is awaited it is that, and the command says what it may be.
const NEGATIVE = /^-\d/

function awaitsValue(typed: string | undefined, spellings: readonly Spelling[]): boolean {
  if (!typed?.startsWith("-")) return false
  const last = spelled(typed, spellings).at(-1)
  return spellings.some(({ flag, spelling }) => flag.value !== undefined && last === `--${spelling}`)
}

/** A word or value of a parsed line as it was typed; undefined where the flag that wanted one got none. */
export function unmarked(text: string): string | undefined {
  return text.startsWith(MARK) ? text.slice(MARK.length) : undefined
}

function spelled(typed: string, spellings: readonly Spelling[]): string[] {
  if (!typed.startsWith("-") || typed === "-") return [MARK + typed]
  if (!typed.startsWith("--")) return spelledShort(typed, spellings)
  const equals = typed.indexOf("=")
  const name = typed.slice(2, equals < 0 ? undefined : equals)
  const known = spellings.find(({ flag }) => flag.name === name)
  if (!known) return [unknown(`--${name}`)]
  return [long(known, `--${name}`, equals < 0 ? undefined : typed.slice(equals + 1))]
}

/** -q, several as -qh, and a value joined to the last one: -n5 or -n=5. */
function spelledShort(typed: string, spellings: readonly Spelling[]): string[] {
  const written: string[] = []
  for (let at = 1; at < typed.length; at++) {
    const name = `-${typed[at]}`
    const known = spellings.find(({ flag }) => flag.short === typed[at])
    // -json is one flag with a dash too few, and what has a blank in it is no flag at all.
    if (!known) return [...written, unknown(at === 1 || /\s/.test(typed) ? typed : name)]
    const rest = typed.slice(at + 1)
    const takesRest = rest.startsWith("=") || (rest !== "" && known.flag.value !== undefined)
    written.push(long(known, name, takesRest ? rest.replace(/^=/, "") : undefined))
    if (takesRest) break
  }
  return written
}

function long({ flag, spelling }: Spelling, typed: string, value: string | undefined): string {
  if (value === undefined) return `--${spelling}`
  if (flag.value !== undefined) return `--${spelling}=${MARK}${value}`
  throw new AmanError("USAGE", `${typed} takes no value, but was given ${JSON.stringify(value)}`)
}

function unknown(typed: string): string {
  return `--${UNKNOWN}=${MARK}${typed}`
}
