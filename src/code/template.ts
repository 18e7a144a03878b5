import type { Captures } from "./captures.ts"
import { camelCase, pascalCase } from "./kebab-case.ts"
import { boundBy } from "./template-bindings.ts"
import type { TagName } from "./use-scan.ts"

/** What a component's template uses; pairs of UTF-16 offsets. */
export type Template = {
  /** Expressions, and tags that name a member of something. */
  readonly code: readonly number[]
  /** What stands in quotes inside expressions, and what binds. */
  readonly silent: readonly number[]
  /** Where names stand that an element or block binds. */
  readonly bound: readonly number[]
  readonly tags: readonly TagName[]
}

export const NO_TEMPLATE: Template = { code: [], silent: [], bound: [], tags: [] }

/** The expressions of a template, and the names behind its tags and directives that nothing in it binds. */
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

/** `ui.Card`, read as the script would. */
const MEMBER = /^[\w$]+(?:\.[\w$]+)+$/

/** Strings and comments; of a template string what stands between its expressions. */
function addQuoted(text: string, start: number, end: number, quoted: number[]): void {
  for (const { index, 0: found } of text.slice(start, end).matchAll(QUOTED)) {
    if (found.startsWith("`")) addBetween(found, start + index, quoted)
    else quoted.push(start + index, start + index + found.length)
  }
}

// What nothing closes is taken whole: to look for its end once more from each next quote would take the square.
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

/** What a tag or directive is called in a script: `my-card` is MyCard there, `v-focus` vFocus, `use:tip` tip. */
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

/** `:name` alone is `:name="name"`; behind `v-slot` and `v-on` it is a slot's or an event's. */
function isSameNamed(text: string, at: number, end: number): boolean {
  return /^[\s/>]/.test(text.slice(end, end + 1)) && BIND.test(text.slice(Math.max(0, at - BIND_CHARS), at))
}
