/**
 * Makes symbols from the definitions that a grammar's query found: name, kind, owner, signature and the first paragraph
 * of the documentation. The documentation is a doc string inside the definition or the comment above it; decorators and
 * attributes in between belong to neither.
 */

import { firstNot } from "../../base/index.ts"
import { CALLABLES, firstFrom, isTypeLike, type NestedDefinition } from "../definitions.ts"
import type { CodeSymbol, SymbolKind } from "../parsed-file.ts"
import { indentOf, isCommentBeyondBlank, isSpace, rowAt, type TextLines } from "../text-lines.ts"

/**
 * The text, and ranges in it, that are needed besides the definitions to make symbols. Ranges are sorted pairs of
 * offsets.
 */
export type SymbolSource = {
  readonly lines: TextLines
  readonly comments: Uint32Array
  readonly docs: Uint32Array
}

const MAX_SIGNATURE_CHARS = 300

/**
 * Matches an attribute whose brackets are nested at most three deep, but not the declarations of Objective-C and SCSS
 * that also begin with @.
 */
const ATTRIBUTE =
  /^\s*(?:@(?!(?:interface|implementation|protocol|mixin|function|keyframes)\b|property[ \t]+[(\w])[\w.:]+(?:\s?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?|#?\[(?:[^[\]]|\[[^[\]]*\])*\])\s*/

/**
 * Matches a row that begins with an attribute, but not the declarations and sections of Objective-C that also begin
 * with @.
 */
const ATTRIBUTE_ROW =
  /^(?:@(?!(?:interface|implementation|protocol|end|class)\b|property[ \t]+[(\w]|[\w-]+:[ \t])|#\[)/

/** Maximum number of rows that a decorator's arguments may have when its beginning is searched upwards. */
const MAX_ATTRIBUTE_ROWS = 12

/** Matches documentation for the next definition that is marked by a keyword: Elixir's @doc and @typedoc. */
const DOC_OF_NEXT = /^\s*@(?:type)?doc\b/

/** Makes one symbol for each named definition, in the order of their positions. */
export function symbolsOf(definitions: readonly NestedDefinition[], source: SymbolSource): CodeSymbol[] {
  const docs = docStrings(definitions, source)
  const symbols: CodeSymbol[] = []
  for (const definition of definitions) {
    const { name, kind, start, end } = definition
    if (name === null || kind === null || name === "" || name === "_") continue
    const owner = ownerOf(definition, source.lines.text)
    symbols.push({
      name,
      kind: kindOf(kind, definition, source.lines.text),
      signature: signatureOf(definition, source),
      startLine: rowAt(source.lines, start) + 1,
      endLine: rowAt(source.lines, lastOffset(source.lines, start, end)) + 1,
      owner,
      isLocal: owner === null && isInFunction(definition),
      doc: docs.get(definition) ?? (sharesRow(definition, source.lines) ? null : commentAbove(start, source)),
    })
  }
  return symbols
}

/**
 * Offset of the last character that is not white space. It is needed because grammars differ in whether a node includes
 * the line end.
 */
export function lastOffset({ text }: TextLines, start: number, end: number): number {
  let at = end - 1
  while (at > start && isSpace(text.charCodeAt(at))) at--
  return Math.max(at, start)
}

function isInFunction({ parent }: NestedDefinition): boolean {
  return parent !== null && (CALLABLES.has(parent.kind ?? "") || isInFunction(parent))
}

/** True if the definition begins on the same row as its parent. The comment above then describes the parent. */
function sharesRow({ start, parent }: NestedDefinition, lines: TextLines): boolean {
  return parent !== null && parent.kind !== null && rowAt(lines, parent.start) === rowAt(lines, start)
}

function kindOf(kind: SymbolKind, definition: NestedDefinition, text: string): SymbolKind {
  if (kind !== "function") return kind
  const { parent } = definition
  const isOwned = definition.owner !== null || (parent?.kind === null && parent.owner !== null)
  if (isOwned || (parent && parent.kind !== "module" && isTypeLike(parent.kind))) return "method"
  return isAssignedToThis(definition, text) && ownerOf(definition, text) !== null ? "method" : kind
}

function ownerOf(definition: NestedDefinition, text: string): string | null {
  if (definition.owner !== null) return definition.owner
  let outer = definition.parent
  // Skips containers without a name, such as a block of constants.
  while (outer && outer.kind === null && outer.owner === null && outer.name === null) outer = outer.parent
  if (!outer) return null
  if (isAssignedToThis(definition, text)) return typeMadeBy(outer, text)
  if (outer.kind === null) return outer.owner ?? outer.name
  if (isTypeLike(outer.kind)) return outer.name
  // A constructor's parameter that is a field belongs to the type.
  const isOfType = definition.kind === "field" && isTypeLike(outer.parent?.kind ?? null)
  return isOfType ? outer.parent!.name : null
}

/** True for JavaScript's `this.open = function () {…}`. */
function isAssignedToThis({ start, kind }: NestedDefinition, text: string): boolean {
  return kind === "function" && text.startsWith("this.", start)
}

/**
 * The type of `this` inside a function: for a method, the type that owns it; for a constructor function such as
 * `function Shop()` or `app.Shop = function ()`, its own name.
 */
function typeMadeBy(outer: NestedDefinition, text: string): string | null {
  if (isTypeLike(outer.kind)) return outer.name
  const owner = ownerOf(outer, text)
  const isConstructor =
    owner === null || (/^\p{Lu}/u.test(outer.name ?? "") && !isTypeLike(outer.parent?.kind ?? null))
  return isConstructor ? outer.name : owner
}

function signatureOf(
  { name, start: outer, end, bodyStart }: NestedDefinition,
  { lines, comments }: SymbolSource,
): string {
  const stop = bodyStart !== null && bodyStart > outer ? bodyStart : end
  const start = outer + decoratorChars(lines.text, outer, stop)
  const maxEnd = Math.min(stop, start + 8 * MAX_SIGNATURE_CHARS)
  const head = withoutComments(lines.text, start, maxEnd, comments).replace(DIRECTIVES, "")
  const line = `${modifiersBefore(start, lines)}${withoutAttributes(head, name)}`.replace(/\s+/g, " ").trim()
  const bare = bodyStart === null ? line : line.replace(/\s*(?:\{|=>|=|:|\bdo|->)$/, "")
  const named = bodyStart === null || name === null ? bare : withTypeName(bare, name)
  return named.length <= MAX_SIGNATURE_CHARS ? named : `${named.slice(0, MAX_SIGNATURE_CHARS - 1)}…`
}

/** Length of the Python decorators before a definition. Their arguments may contain any number of nested brackets. */
function decoratorChars(text: string, start: number, stop: number): number {
  if (text[start] !== "@") return 0
  return Array.from(text.slice(start, stop).matchAll(DECORATED)).at(-1)?.index ?? 0
}

const DECORATED = /^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]/gm

function withoutComments(text: string, start: number, end: number, comments: Uint32Array): string {
  let head = ""
  let from = start
  for (let at = lastPairBefore(comments, start) + 1; at * 2 < comments.length; at++) {
    const comment = comments[at * 2]!
    if (comment >= end) break
    head += `${text.slice(from, comment)} `
    from = Math.min(end, comments[at * 2 + 1]!)
  }
  return head + text.slice(from, end)
}

/**
 * The signature, with the name of the type appended if it does not contain the name. In C, the name of `typedef struct
 * {…} list` comes after the body.
 */
function withTypeName(signature: string, name: string): string {
  return signature.startsWith("typedef ") && !signature.split(/\W+/).includes(name)
    ? `${signature} ${name}`
    : signature
}

/** Matches preprocessor lines inside a declaration in C and similar languages. */
const DIRECTIVES =
  /^[ \t]*#[ \t]*(?:pragma|if|ifdef|ifndef|elif|else|endif|region|endregion|nullable)(?:[ \t].*)?$/gm

/** Removes Python's decorators, Java's annotations and C#'s attributes, because they are no part of the declaration. */
function withoutAttributes(head: string, name: string | null): string {
  let rest = head
  for (let match = ATTRIBUTE.exec(rest); match; match = ATTRIBUTE.exec(rest))
    rest = rest.slice(match[0].length)
  return name !== null && rest.includes(name) ? rest : head
}

/**
 * The modifiers directly before a node, such as `type ` before Go's `User struct`. Only words are accepted, so that
 * another declaration on the same line is not included.
 */
function modifiersBefore(start: number, { text, starts, ...rest }: TextLines): string {
  const rowStart = starts[rowAt({ text, starts, ...rest }, start)]!
  // On a line with thousands of declarations, the earlier ones would be mistaken for modifiers.
  if (start - rowStart > MAX_SIGNATURE_CHARS) return ""
  const before = text.slice(rowStart, start)
  return /^[\w\s]+$/.test(before) ? before.trimStart() : ""
}

/**
 * The doc strings by the definition that they describe: the innermost definition around them or, if there is none, the
 * next one.
 */
function docStrings(
  definitions: readonly NestedDefinition[],
  { lines, docs }: SymbolSource,
): Map<NestedDefinition, string> {
  const found = new Map<NestedDefinition, string>()
  for (let at = 0; at < docs.length; at += 2) {
    const start = docs[at]!
    const end = docs[at + 1]!
    const next = firstFrom(definitions, start)
    const row = lines.starts[rowAt(lines, start)]!
    const target = DOC_OF_NEXT.test(lines.text.slice(row, start + 10))
      ? definitions[next]
      : around(definitions[next - 1] ?? null, end)
    const doc = target && !found.has(target) ? docParagraph(lines.text.slice(start, end)) : null
    if (target && doc) found.set(target, doc)
  }
  return found
}

function around(definition: NestedDefinition | null, end: number): NestedDefinition | null {
  let outer = definition
  while (outer && outer.end < end) outer = outer.parent
  return outer
}

/** The comments that end on the row directly above the definition, or above its decorators. */
function commentAbove(start: number, { lines, comments }: SymbolSource): string | null {
  let row = rowAt(lines, start)
  let at = lastPairBefore(comments, start)
  const indent = indentOf(lines, row)
  for (let attribute = row; attribute >= 0; attribute = attributeAbove(lines, attribute, indent))
    row = attribute
  while (at >= 0 && comments[at * 2]! >= lines.starts[row]!) at--
  let from = -1
  let to = -1
  while (at >= 0 && endsAbove(lines, comments, at, row)) {
    from = comments[at * 2]!
    if (to < 0) to = comments[at * 2 + 1]!
    row = rowAt(lines, from)
    at--
  }
  return from < 0 ? null : docParagraph(lines.text.slice(from, to))
}

function endsAbove(lines: TextLines, comments: Uint32Array, pair: number, row: number): boolean {
  const start = comments[pair * 2]!
  const startRow = rowAt(lines, start)
  if (lines.starts[startRow]! + indentOf(lines, startRow) !== start) return false
  const lastRow = rowAt(lines, lastOffset(lines, start, comments[pair * 2 + 1]!))
  return lastRow === row - 1 || (lastRow === row - 2 && isCommentBeyondBlank(lines, start, startRow, row))
}

/** The row on which a decorator or attribute directly above `row` begins; -1 if there is none. */
function attributeAbove(lines: TextLines, row: number, indent: number): number {
  for (let above = row - 1; above >= 0 && row - above <= MAX_ATTRIBUTE_ROWS; above--) {
    const depth = indentOf(lines, above)
    if (depth < 0 || depth < indent) return -1
    if (depth > indent) continue
    const head = lines.text.slice(lines.starts[above]! + depth, lines.starts[above + 1])
    if (ATTRIBUTE_ROW.test(head)) return above
    if (!")]}".includes(head[0]!)) return -1
  }
  return -1
}

/** Index of the last pair of offsets that starts before `offset`; -1 if there is none. */
function lastPairBefore(pairs: Uint32Array, offset: number): number {
  return firstNot(0, pairs.length / 2, (i) => pairs[i * 2]! < offset) - 1
}

const MAX_DOC_CHARS = 300

/**
 * Maximum number of characters of a comment that are searched for its first paragraph. A licence may have no paragraph
 * of prose, and a line of asterisks may be long.
 */
const MAX_READ_CHARS = 4000

/** Matches the comment marker at the start of a line, in all languages that are parsed. */
const OPENING =
  /^\s*(?:\/{2,4}!?|\\\*|\/\*[*!]?|\(\*\*?|\{-\s*\|?|<!--+|--\[=*\[|--+\s*\|?|#\[=*|<#|#+['!]?|;+|%+|=begin\b|[rubfRUBF]{0,2}(?:"""|'''|")|~[sS]"""|@(?:module|type)?doc\b)/
const CONTINUED = /^\s*\*(?!\/)\s?/
const CLOSING = /(?:\*+\/|\*+\)|-\}|--+>|\]=*\]|"""|'''|=end|#>)\s*$/
/** The characters that CLOSING can end with. */
const CLOSERS = "/)}]>\"'d"

/** Matches the tag at which the reference part of a doc comment begins: @param, :param x:, \param, Args:, Parameters. */
const REFERENCE =
  /^(?:@\w+|:\w+[^:]*:|\\(?:param|return)\w*|(?:Args|Arguments|Parameters|Returns|Raises|Examples?|Example usage):?$|# (?:Examples?|Errors|Panics|Safety)$|```)/

const MARKUP =
  /<\/?(?:summary|p|para|remarks|code|pre|c)\s*\/?>|^[\\@](?:brief|dev|notice|title|summary|desc(?:ription)?)\s+/gi

/** Matches the first line of a doc string that only repeats the name or the call. */
const SIGNATURE = /^[\w.!]+(?:\(.*\))?$/

/**
 * The first paragraph of a comment or doc string without comment markers, at most 300 characters; null if there is
 * none.
 */
export function docParagraph(raw: string): string | null {
  let paragraph = ""
  let signature = ""
  for (const line of raw.slice(0, MAX_READ_CHARS).split("\n")) {
    const text = withoutMarkers(line)
    if (text === "" && SIGNATURE.test(paragraph)) {
      signature ||= paragraph
      paragraph = ""
    }
    if (text === "" && paragraph === "") continue
    if (text === "" || REFERENCE.test(text) || paragraph.length > MAX_DOC_CHARS) break
    paragraph += paragraph === "" ? text : ` ${text}`
  }
  const doc = paragraph || signature
  return /[\p{L}\p{N}]/u.test(doc) ? shorten(doc.replace(/\s+/g, " ")) : null
}

function withoutMarkers(line: string): string {
  const text = line.replace(OPENING, "").replace(CONTINUED, "").trim()
  const bare = CLOSERS.includes(text.at(-1) ?? "") ? text.replace(CLOSING, "").trimEnd() : text
  return /[<@\\]/.test(bare) ? bare.replace(MARKUP, "").trim() : bare
}

function shorten(text: string): string {
  if (text.length <= MAX_DOC_CHARS) return text
  const cut = text.lastIndexOf(" ", MAX_DOC_CHARS - 1)
  return `${text.slice(0, cut > MAX_DOC_CHARS / 2 ? cut : MAX_DOC_CHARS - 1)}…`
}
