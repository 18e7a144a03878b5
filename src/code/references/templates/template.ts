import type { Captures } from "../../parse/captures.ts"
import type { TagName } from "../scan/use-scan.ts"
import { boundBy } from "./template-bindings.ts"

/** The uses of names in the template of a component. Offsets count UTF-16 units; ranges are pairs of offsets. */
export type Template = {
  /** Ranges of expressions, and of tags that are a member access (`ui.Card`). */
  readonly code: readonly number[]
  /** Ranges in which no uses are read: quoted text and comments inside expressions, and texts that bind names. */
  readonly silent: readonly number[]
  /** Offsets of names that an element or block binds. */
  readonly bound: readonly number[]
  readonly tags: readonly TagName[]
}

export const NO_TEMPLATE: Template = { code: [], silent: [], bound: [], tags: [] }

/**
 * Reads the expressions of a template, and the names that its tags and directives use and that the template itself does
 * not bind.
 */
export function readTemplate(
  { expressions, tags, bindings }: Pick<Captures, "expressions" | "tags" | "bindings">,
  text: string,
): Template {
  const code: number[] = []
  const quoted: number[] = []
  for (let at = 0; at < expressions.length; at += 2) {
    const [start, end] = [expressions[at]!, expressions[at + 1]!]
    code.push(start, end)
    addQuoted(text, start, end, quoted)
  }
  const named: TagName[] = []
  for (let at = 0; at < tags.length; at += 2) {
    const [start, end] = [tags[at]!, tags[at + 1]!]
    if (MEMBER.test(text.slice(start, end))) code.push(start, end)
    else named.push(...namesOf(text, start, end))
  }
  const bound = boundBy(bindings, text)
  const silent = [...quoted, ...bound.binding]
  return { code, silent, bound: bound.within(code), tags: bound.unbound(named) }
}

/** Matches a tag that is a member access, such as `ui.Card`. It is read like an expression in the script. */
const MEMBER = /^[\w$]+(?:\.[\w$]+)+$/

/** Adds the ranges of strings and comments; of a template string, the text between its expressions. */
function addQuoted(text: string, start: number, end: number, quoted: number[]): void {
  for (const { index, 0: found } of text.slice(start, end).matchAll(QUOTED)) {
    if (found.startsWith("`")) addBetween(found, start + index, quoted)
    else quoted.push(start + index, start + index + found.length)
  }
}

// An unclosed quote extends to the end of the text. Otherwise its end would be searched for again from each later
// quote, which takes quadratic time.
const QUOTED =
  /'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?|`(?:[^`\\]|\\[\s\S])*`?|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|\/\/[^\n]*/g

function addBetween(template: string, start: number, quoted: number[]): void {
  let from = 0
  for (const { index, 0: hole } of template.matchAll(/\$\{[^{}]*\}/g)) {
    quoted.push(start + from, start + index)
    from = index + hole.length
  }
  quoted.push(start + from, start + template.length)
}

const DIRECTIVE = /^(?:use|transition|in|out|animate):([\w$]+)/
const SHORTHAND = /^(?:bind|class|style):([\w$]+)$/
const OWN = /^v-(?:if|else|else-if|for|on|bind|model|slot|show|html|text|pre|once|memo|cloak)$/

/**
 * The names by which the script defines a tag or directive: `my-card` is MyCard, `v-focus` is vFocus, `use:tip` is tip.
 */
function namesOf(text: string, at: number, end: number): TagName[] {
  const written = text.slice(at, end)
  const before = text[at - 1]
  const named = (name: string): TagName[] => [{ name, at, isCall: false }]
  const calls = (...names: string[]) => names.map((name) => ({ name, at, isCall: true }))
  if (before === "<" && written.includes("-")) return calls(pascalCase(written), written)
  if (before === "<") return /^\p{Lu}/u.test(written) ? calls(written) : []
  if (before === ":") return isSameNamed(text, at, end) ? named(camelCase(written)) : []
  const [, called] = DIRECTIVE.exec(written) ?? []
  if (called !== undefined) return calls(called)
  const [, shorthand] = text[end] === "=" ? [] : (SHORTHAND.exec(written) ?? [])
  if (shorthand !== undefined) return named(shorthand)
  return /^v-\w/.test(written) && !OWN.test(written) ? named(camelCase(written)) : []
}

const BIND = /[\s"'](?:v-bind)?:$/
const BIND_CHARS = 8

/** True if `:name` is short for `:name="name"`. After `v-slot` or `v-on`, it is the name of a slot or event instead. */
function isSameNamed(text: string, at: number, end: number): boolean {
  return /^[\s/>]/.test(text.slice(end, end + 1)) && BIND.test(text.slice(Math.max(0, at - BIND_CHARS), at))
}

/** `my-card` → `myCard` */
function camelCase(kebab: string): string {
  // The match starts only at the first dash of a sequence, so that a long sequence of dashes takes linear time.
  return kebab.replace(/(?<!-)-+(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** `my-card` → `MyCard` */
function pascalCase(kebab: string): string {
  const camel = camelCase(kebab)
  return camel.charAt(0).toUpperCase() + camel.slice(1)
}
