import type { Node, Query, QueryMatch } from "web-tree-sitter"
import type { Definition } from "../definitions.ts"
import { listedNames } from "../listed-names.ts"
import { MAX_IMPORTS, type SymbolKind } from "../parsed-file.ts"
import type { Binding, BindingKind } from "../references/templates/template-bindings.ts"
import type { ImportSpan } from "../references/use-scan.ts"
import { mergeSpans } from "../spans.ts"

/** What the query of a grammar finds in one file; offsets are UTF-16, ranges sorted, without overlap. */
export type Captures = {
  readonly definitions: readonly Definition[]
  /** Comments, one pair of offsets each. */
  readonly comments: Uint32Array
  /** Doc strings that are not comments. */
  readonly docs: Uint32Array
  /** Offset pairs of strings and other literals. */
  readonly literals: readonly number[]
  readonly imports: readonly string[]
  /** Statements that import, in order of place. */
  readonly importSpans: readonly ImportSpan[]
  /** Offsets of the names of definitions. */
  readonly names: readonly number[]
  readonly package: string | null
  /** Nodes whose text is in another language: the scripts and styles of a page. */
  readonly embedded: readonly Node[]
  /** Expressions in the markup of a page, one pair of offsets each. */
  readonly expressions: readonly number[]
  /** Names of the page's tags and directives, one pair of offsets each. */
  readonly tags: readonly number[]
  /** Names that the page's elements and blocks bind. */
  readonly bindings: readonly Binding[]
}

type CollectedCaptures = {
  /** Definitions by the offset of their name. If several patterns match one name, the first pattern counts. */
  readonly named: Map<number, { readonly pattern: number; readonly definition: Definition }>
  /** Offsets of names that a declaration repeats: `typedef struct a {…} a`. */
  readonly again: Set<number>
  /** Containers by node id. If several patterns match a node, the one that captures the owner is kept. */
  readonly containers: Map<number, Definition>
  readonly comments: number[]
  readonly docs: number[]
  readonly literals: number[]
  readonly imports: Set<string>
  readonly importSpans: ImportSpan[]
  readonly embedded: Node[]
  readonly expressions: number[]
  readonly tags: number[]
  readonly bindings: Binding[]
  package: string | null
}

type Roles = {
  outer: Node | null
  /**
   * The last node of the capture, where the definition ends; several nodes have one capture in Haskell, whose
   * signature and equations form one definition.
   */
  last: Node | null
  kind: SymbolKind | null
  /** Several nodes if a name has parts: `operator` and `+`. */
  names: Node[]
  owner: Node | null
  body: Node | null
  scope: Node | null
}

const BINDING = "binding."
const DEFINITION = "definition."
const MAX_NAME_CHARS = 120
/**
 * Limit in characters, longer than any imported path, because the regular expressions that remove quotes are
 * slow on long texts.
 */
const MAX_READ_CHARS = 1000

export function readCaptures(query: Query, root: Node, progressCallback: () => boolean): Captures {
  const found: CollectedCaptures = {
    named: new Map(),
    again: new Set(),
    containers: new Map(),
    comments: [],
    docs: [],
    literals: [],
    imports: new Set(),
    importSpans: [],
    embedded: [],
    expressions: [],
    tags: [],
    bindings: [],
    package: null,
  }
  for (const match of query.matches(root, { progressCallback })) readMatch(match, found)
  return {
    definitions: [
      ...found.containers.values(),
      ...listedNames(
        [...found.named].flatMap(([at, { definition }]) => (found.again.has(at) ? [] : [definition])),
      ),
    ],
    comments: mergeSpans(found.comments),
    docs: mergeSpans(found.docs),
    literals: found.literals,
    imports: [...found.imports],
    importSpans: found.importSpans,
    names: [...found.named.keys()],
    package: found.package,
    embedded: found.embedded,
    expressions: found.expressions,
    tags: found.tags,
    bindings: found.bindings,
  }
}

function readMatch({ captures, patternIndex }: QueryMatch, found: CollectedCaptures): void {
  const roles: Roles = {
    outer: null,
    last: null,
    kind: null,
    names: [],
    owner: null,
    body: null,
    scope: null,
  }
  for (const { name, node } of captures) readCapture(name, node, roles, found)
  if (!roles.outer) return
  if (roles.kind === null) keepContainer(roles, roles.outer, found)
  else if (roles.names[0]) keepNamed(roles, roles.outer, roles.names[0].startIndex, patternIndex, found)
}

/** Captures of which only the offsets are kept. */
const SPANS: ReadonlyMap<string, "comments" | "docs" | "literals" | "expressions" | "tags"> = new Map([
  ["comment", "comments"],
  ["doc", "docs"],
  ["literal", "literals"],
  ["expression", "expressions"],
  ["tag", "tags"],
])

function readCapture(capture: string, node: Node, roles: Roles, found: CollectedCaptures): void {
  const spans = SPANS.get(capture)
  if (spans !== undefined) {
    found[spans].push(node.startIndex, node.endIndex)
    return
  }
  switch (capture) {
    case "import":
      readImport(node, found)
      return
    case "package":
      found.package ??= oneLine(node.text)
      return
    case "again":
      found.again.add(node.startIndex)
      return
    case "embedded":
      found.embedded.push(node)
      return
    case "name":
      roles.names.push(node)
      return
    case "owner":
    case "body":
    case "scope":
      roles[capture] ??= node
      return
    case "container":
      roles.outer ??= node
      return
    default:
      if (capture.startsWith(BINDING)) addBinding(capture, node, roles.scope, found)
      if (!capture.startsWith(DEFINITION)) return
      roles.outer ??= node
      roles.last = node
      roles.kind = capture.slice(DEFINITION.length) as SymbolKind
  }
}

/** Adds a text that binds names. The query captures the scope before its bindings, because the scope encloses them. */
function addBinding(capture: string, node: Node, scope: Node | null, { bindings }: CollectedCaptures): void {
  if (scope === null) return
  const kind = capture.slice(BINDING.length) as BindingKind
  const { startIndex: scopeStart, endIndex: scopeEnd } = scope
  bindings.push({ kind, start: node.startIndex, end: node.endIndex, scopeStart, scopeEnd })
}

function readImport(node: Node, found: CollectedCaptures): void {
  if (found.importSpans.length >= MAX_IMPORTS) return
  const module = unquoted(node.text.slice(0, MAX_READ_CHARS).replace(/^import\s+/, ""))
  found.imports.add(module)
  const { startIndex: start, endIndex: end } = importOf(node)
  found.importSpans.push({ start, end, module })
}

/**
 * The statement that contains the import. For `require("a")` and `await import("a")`, this is the statement that binds
 * the module or takes a member of it.
 */
function importOf(node: Node): Node {
  // Differences between grammars: in Lua, the captured node is the text inside the quotes; in Scala, the module
  // has no node of its own.
  const module = node.type === "string_content" && node.parent ? node.parent : node
  const { parent } = module
  if (parent === null || node.type === "import_declaration") return node
  if (parent.type !== "arguments") return parent
  // In Elixir an import is a call, so the statement is the node around the call.
  if (node.type === "alias") return parent.parent ?? parent
  let outer = parent.parent?.parent ?? parent
  while (THROUGH.has(outer.type) && outer.parent) outer = outer.parent
  return outer
}

const THROUGH: ReadonlySet<string> = new Set([
  "await_expression",
  "parenthesized_expression",
  "expression_list",
])

function keepContainer(roles: Roles, outer: Node, found: CollectedCaptures): void {
  if (!found.containers.get(outer.id)?.owner) found.containers.set(outer.id, definitionOf(roles, outer))
}

function keepNamed(roles: Roles, outer: Node, at: number, pattern: number, found: CollectedCaptures): void {
  const known = found.named.get(at)
  if (known && known.pattern <= pattern) return
  found.named.set(at, { pattern, definition: definitionOf(roles, outer) })
}

function definitionOf({ last, kind, names, owner, body }: Roles, outer: Node): Definition {
  return {
    name: names.length === 0 ? null : joinedName(names, kind),
    kind,
    start: outer.startIndex,
    end: (last ?? outer).endIndex,
    bodyStart: body ? body.startIndex : null,
    owner: owner ? typeName(owner.text) : null,
    isSpread: last !== null && last.id !== outer.id,
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_NAME_CHARS)
}

/** A name without its quoting: Ruby's `:name`, Elixir's `name:`, Zig's `@"name"`, OCaml's `( + )`, a key in quotes. */
function symbolName(text: string): string {
  return oneLine(text)
    .replace(/^[:@]?(["'`])(.*)\1$/, "$2")
    .replace(/^:(?=\w)|(?<=\w[?!]?):$/g, "")
    .replace(/^\( ?(.*?) ?\)$/, "$1")
}

function joinedName(names: readonly Node[], kind: SymbolKind | null): string {
  const text = names.map((part) => part.text).reduce(joinWords)
  return kind === "section" ? headingText(text) : symbolName(text)
}

/** A blank between two words (`operator bool`), nothing between a word and signs (`operator+`). */
function joinWords(one: string, other: string): string {
  return /\w$/.test(one) && /^\w/.test(other) ? `${one} ${other}` : one + other
}

/** `<h2 id="use">Use <em>it</em></h2>` → `Use it`. */
function headingText(html: string): string {
  return oneLine(html.replace(/<[^<>]*>/g, " "))
}

/** `Vec<T>`, `*User`, `&'a Foo` → the name alone. */
function typeName(text: string): string {
  return oneLine(text.replace(/^[&*\s]+/, "").replace(/[<([{][\s\S]*$/, ""))
}

function unquoted(text: string): string {
  return oneLine(text.slice(0, MAX_READ_CHARS).replace(/^["'`<]+|["'`>]+$/g, ""))
}
