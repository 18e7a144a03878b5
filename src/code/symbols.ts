import { firstFrom, isTypeLike, type NestedDefinition } from "./definitions.ts"
import { docParagraph } from "./doc-comment.ts"
import type { CodeSymbol, SymbolKind } from "./parsed-file.ts"
import { indentOf, isSpace, reachesOver, rowAt, type TextLines } from "./text-lines.ts"

/** What symbols are read from besides the definitions themselves; ranges are sorted pairs of offsets. */
export type SymbolSource = {
  readonly lines: TextLines
  readonly comments: Uint32Array
  readonly docs: Uint32Array
}

const MAX_SIGNATURE_CHARS = 300

/** An attribute whose brackets are nested three deep at most. What Objective-C and SCSS declare with is none. */
const ATTRIBUTE =
  /^\s*(?:@(?!(?:interface|implementation|protocol|mixin|function|keyframes)\b|property[ \t]+[(\w])[\w.:]+(?:\s?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?|#?\[(?:[^[\]]|\[[^[\]]*\])*\])\s*/

/** Not what declares and divides in Objective-C. */
const ATTRIBUTE_ROW =
  /^(?:@(?!(?:interface|implementation|protocol|end|class)\b|property[ \t]+[(\w]|[\w-]+:[ \t])|#\[)/

/** Rows of a decorator's arguments that are looked over for what stands above it. */
const MAX_ATTRIBUTE_ROWS = 12

/** Documentation that a keyword binds to the next definition: Elixir's @doc and @typedoc. */
const DOC_OF_NEXT = /^\s*@(?:type)?doc\b/

/** One symbol per named definition, in order of place. */
export function symbolsOf(definitions: readonly NestedDefinition[], source: SymbolSource): CodeSymbol[] {
  const docs = docStrings(definitions, source)
  const symbols: CodeSymbol[] = []
  for (const definition of definitions) {
    const { name, kind, start, end } = definition
    if (name === null || kind === null || name === "" || name === "_") continue
    symbols.push({
      name,
      kind: kindOf(kind, definition),
      signature: signatureOf(definition, source),
      startLine: rowAt(source.lines, start) + 1,
      endLine: rowAt(source.lines, lastOffset(source.lines, start, end)) + 1,
      owner: ownerOf(definition),
      doc: docs.get(definition) ?? (sharesRow(definition, source.lines) ? null : commentAbove(start, source)),
    })
  }
  return symbols
}

/** Offset of the last character that is not white space: grammars count line ends in differently. */
export function lastOffset({ text }: TextLines, start: number, end: number): number {
  let at = end - 1
  while (at > start && isSpace(text.charCodeAt(at))) at--
  return Math.max(at, start)
}

/** The comment above is about what begins the row, not about its parts on the same row. */
function sharesRow({ start, parent }: NestedDefinition, lines: TextLines): boolean {
  return parent !== null && parent.kind !== null && rowAt(lines, parent.start) === rowAt(lines, start)
}

function kindOf(kind: SymbolKind, definition: NestedDefinition): SymbolKind {
  if (kind !== "function") return kind
  const { parent } = definition
  const isOwned = definition.owner !== null || (parent?.kind === null && parent.owner !== null)
  return isOwned || (parent && parent.kind !== "module" && isTypeLike(parent.kind)) ? "method" : kind
}

function ownerOf(definition: NestedDefinition): string | null {
  if (definition.owner !== null) return definition.owner
  let outer = definition.parent
  // Containers that name nothing, such as a block of constants, are seen through.
  while (outer && outer.kind === null && outer.owner === null && outer.name === null) outer = outer.parent
  if (!outer) return null
  if (outer.kind === null) return outer.owner ?? outer.name
  return isTypeLike(outer.kind) ? outer.name : null
}

function signatureOf(
  { name, start: outer, end, bodyStart }: NestedDefinition,
  { lines, comments }: SymbolSource,
): string {
  const stop = bodyStart !== null && bodyStart > outer ? bodyStart : end
  const start = outer + decoratorChars(lines.text, outer, stop)
  const most = Math.min(stop, start + 8 * MAX_SIGNATURE_CHARS)
  const head = withoutComments(lines.text, start, most, comments).replace(DIRECTIVES, "")
  const line = `${modifiersBefore(start, lines)}${withoutAttributes(head, name)}`.replace(/\s+/g, " ").trim()
  const bare = bodyStart === null ? line : line.replace(/\s*(?:\{|=>|=|:|\bdo|->)$/, "")
  const named = bodyStart === null || name === null ? bare : withTypeName(bare, name)
  return named.length <= MAX_SIGNATURE_CHARS ? named : `${named.slice(0, MAX_SIGNATURE_CHARS - 1)}…`
}

/** Of Python's decorators, whose arguments may hold brackets as deep and as many as one likes. */
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

/** `typedef struct {…} list` says its name behind its body. */
function withTypeName(signature: string, name: string): string {
  return signature.startsWith("typedef ") && !signature.split(/\W+/).includes(name)
    ? `${signature} ${name}`
    : signature
}

/** Lines to the preprocessor of C and its kin, that a declaration may hold. */
const DIRECTIVES =
  /^[ \t]*#[ \t]*(?:pragma|if|ifdef|ifndef|elif|else|endif|region|endregion|nullable)(?:[ \t].*)?$/gm

/** Python's decorators, Java's annotations, C#'s attributes: none of them is the declaration. */
function withoutAttributes(head: string, name: string | null): string {
  let rest = head
  for (let match = ATTRIBUTE.exec(rest); match; match = ATTRIBUTE.exec(rest))
    rest = rest.slice(match[0].length)
  return name !== null && rest.includes(name) ? rest : head
}

/** `type ` before Go's `User struct`: words alone, so that a neighbour on the line stays out. */
function modifiersBefore(start: number, { text, starts, ...rest }: TextLines): string {
  const rowStart = starts[rowAt({ text, starts, ...rest }, start)]!
  // On a line that holds thousands of declarations all those before would be taken for modifiers.
  if (start - rowStart > MAX_SIGNATURE_CHARS) return ""
  const before = text.slice(rowStart, start)
  return /^[\w\s]+$/.test(before) ? before.trimStart() : ""
}

/** Doc strings by the definition they describe: the innermost around them, or the next one. */
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

/** The comments that end on the row above, or above the decorators that stand there. */
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
  return lastRow === row - 1 || (lastRow === row - 2 && reachesOver(lines, start, startRow, row))
}

/** The row where a decorator or attribute directly above `row` begins; -1 if there is none. */
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

/** Index of the last pair that starts before `offset`; -1 if there is none. */
function lastPairBefore(pairs: Uint32Array, offset: number): number {
  let low = 0
  let high = pairs.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if (pairs[middle * 2]! < offset) low = middle + 1
    else high = middle
  }
  return low - 1
}
