/**
 * Reads the matches of a grammar's query into lists: definitions, comments, imports, embedded code and so on. For each
 * match, the names of its captures decide which list a node belongs to (`readCapture`), and which role it has in a
 * definition: name, kind, owner or body (`definitionOf`).
 */

import type { Node, Query, QueryMatch } from "web-tree-sitter"
import { type Definition, listedNames } from "../definitions.ts"
import { MAX_IMPORTS, type SymbolKind } from "../parsed-file.ts"
import { SCOPING } from "../references/scopes.ts"
import type { Binding, BindingKind } from "../references/templates.ts"
import type { ImportSpan } from "../references/use-scan.ts"
import { mergeSpans } from "../spans.ts"

/**
 * The nodes of one file that the query of its grammar captures (definitions.scm; grammars/README.md describes the
 * captures). Offsets count UTF-16 units. Ranges are sorted and do not overlap.
 */
export type Captures = {
  readonly definitions: readonly Definition[]
  /** Comments, as pairs of offsets. */
  readonly comments: Uint32Array
  /** Doc strings that are not comments, as pairs of offsets. */
  readonly docs: Uint32Array
  /** Strings and other literals, as pairs of offsets. */
  readonly literals: readonly number[]
  /** Contents of strings that name definitions, such as a type in quotes (Python), as pairs of offsets. */
  readonly quoted: readonly number[]
  readonly imports: readonly string[]
  /** Import statements, in the order of their positions. */
  readonly importSpans: readonly ImportSpan[]
  /** Offsets of the names of definitions. */
  readonly names: readonly number[]
  readonly package: string | null
  /** Nodes whose text is in another language, such as the scripts and styles of a page. */
  readonly embedded: readonly Node[]
  /** Expressions in the markup of a page, as pairs of offsets. */
  readonly expressions: readonly number[]
  /** Names of the page's tags and directives, as pairs of offsets. */
  readonly tags: readonly number[]
  /** Texts in elements and blocks of the page that bind names. */
  readonly bindings: readonly Binding[]
  /** Scopes and the names bound in them, as triples of a number from SCOPING and two offsets. */
  readonly scoping: readonly number[]
  /** Offsets of the names of members before their values, as in a named argument. */
  readonly labels: readonly number[]
  /** Offsets of names before a colon that are values and no members, such as the keys of a map in Go. */
  readonly values: readonly number[]
}

/** The parts of the captures that are plain lists. */
const LISTS = "literals quoted importSpans embedded expressions tags bindings scoping labels values".split(
  " ",
) as ListName[]
type ListName = {
  [Name in keyof Captures]: Captures[Name] extends readonly unknown[] ? Name : never
}[Exclude<keyof Captures, "definitions" | "imports" | "names">]

/** The lists of several captures, joined. */
export function joinLists(all: readonly Captures[]): Pick<Captures, ListName> {
  const joined = LISTS.map((name) => [name, all.flatMap((each): readonly unknown[] => each[name])])
  return Object.fromEntries(joined)
}

type CollectedCaptures = {
  /** Definitions by the offset of their name. If several patterns match one name, the first pattern wins. */
  readonly named: Map<number, { readonly pattern: number; readonly definition: Definition }>
  /** Members that methods set (`self.name = …`) by their type and name; only the first place defines a member. */
  readonly attributes: Map<string, { readonly name: Node; readonly type: Node }>
  /** Offsets of names that the same declaration has already defined: the second `a` in `typedef struct a {…} a`. */
  readonly again: Set<number>
  /** Offsets of names of definitions that are uses as well. */
  readonly used: Set<number>
  /** Containers by node id. If several patterns match a node, the one that captures an owner is kept. */
  readonly containers: Map<number, Definition>
  readonly comments: number[]
  readonly docs: number[]
  readonly imports: Set<string>
  package: string | null
} & { readonly [List in ListName]: Captures[List][number][] }

type Roles = {
  outer: Node | null
  /**
   * The last node of the capture, where the definition ends. A definition may have several nodes, such as the signature
   * and the equations of a function in Haskell.
   */
  last: Node | null
  kind: SymbolKind | null
  /** The nodes of the name. There are several if the name has parts: `operator` and `+`. */
  names: Node[]
  owner: Node | null
  body: Node | null
  scope: Node | null
}

const BINDING = "binding."
const DEFINITION = "definition."
/**
 * Maximum number of characters read, more than any imported path has, because the regular expressions that remove
 * quotes are slow on long texts.
 */
const MAX_READ_CHARS = 1000

export function readCaptures(query: Query, root: Node, progressCallback: () => boolean): Captures {
  const found: CollectedCaptures = {
    named: new Map(),
    attributes: new Map(),
    again: new Set(),
    used: new Set(),
    containers: new Map(),
    comments: [],
    docs: [],
    imports: new Set(),
    package: null,
    ...(joinLists([]) as Pick<CollectedCaptures, ListName>),
  }
  for (const match of query.matches(root, { progressCallback })) readMatch(match, found)
  keepAttributes(found)
  return {
    ...found,
    definitions: [
      ...found.containers.values(),
      ...listedNames(
        [...found.named].flatMap(([at, { definition }]) => (found.again.has(at) ? [] : [definition])),
      ),
    ],
    comments: mergeSpans(found.comments),
    docs: mergeSpans(found.docs),
    imports: [...found.imports],
    names: [...found.named.keys()].filter((at) => !found.used.has(at)),
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

/** Captures of which only the offsets are stored, with the lists that they are stored in. */
const SPANS: ReadonlyMap<string, "comments" | "docs" | "literals" | "quoted" | "expressions" | "tags"> =
  new Map([
    ["comment", "comments"],
    ["doc", "docs"],
    ["literal", "literals"],
    ["quoted", "quoted"],
    ["expression", "expressions"],
    ["tag", "tags"],
  ])

/** Captures that concern the scopes of local variables. */
const SCOPES: ReadonlyMap<string, number> = new Map(Object.entries(SCOPING))

function readCapture(capture: string, node: Node, roles: Roles, found: CollectedCaptures): void {
  const spans = SPANS.get(capture)
  if (spans !== undefined) {
    found[spans].push(node.startIndex, node.endIndex)
    return
  }
  const scoping = SCOPES.get(capture)
  if (scoping !== undefined) {
    found.scoping.push(scoping, node.startIndex, node.endIndex)
    return
  }
  switch (capture) {
    case "import":
      readImport(node, found)
      return
    case "package":
      found.package ??= oneLine(node.text)
      return
    case "label":
    case "value":
      found[`${capture}s`].push(node.startIndex)
      return
    case "again":
    case "used":
      found[capture].add(node.startIndex)
      return
    case "embedded":
      found.embedded.push(node)
      return
    case "attribute":
      noteAttribute(node, found)
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

/**
 * Records a text that binds names. The scope is known by then, because the query captures a node before the nodes
 * inside it.
 */
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
 * The statement that contains an import. For `require("a")` and `await import("a")`, it is the statement that binds the
 * module or takes a member of it.
 */
function importOf(node: Node): Node {
  // Grammars differ: in Lua, the captured node is the text inside the quotes; in Scala, the module has no node of its
  // own.
  const module = node.type === "string_content" && node.parent ? node.parent : node
  const { parent } = module
  if (parent === null || node.type === "import_declaration") return node
  // In Dart, the path is inside one or two nodes of its own.
  if (parent.type === "uri" || parent.type === "configurable_uri") return importOf(parent)
  if (parent.type !== "arguments") return parent
  // In Elixir an import is a call, so the statement is the parent of the call's arguments.
  if (node.type === "alias" || node.type === "dot") return parent.parent ?? parent
  let outer = parent.parent?.parent ?? parent
  while (THROUGH.has(outer.type) && outer.parent) outer = outer.parent
  return outer
}

const THROUGH: ReadonlySet<string> = new Set(
  "await_expression parenthesized_expression expression_list".split(" "),
)

function keepContainer(roles: Roles, outer: Node, found: CollectedCaptures): void {
  if (!found.containers.get(outer.id)?.owner) found.containers.set(outer.id, definitionOf(roles, outer))
}

function keepNamed(roles: Roles, outer: Node, at: number, pattern: number, found: CollectedCaptures): void {
  const known = found.named.get(at)
  if (known && known.pattern <= pattern) return
  found.named.set(at, { pattern, definition: definitionOf(roles, outer) })
}

function noteAttribute(name: Node, { attributes }: CollectedCaptures): void {
  let type: Node | null = name.parent
  while (type && !type.type.startsWith("class")) type = type.parent
  if (type === null) return
  const key = `${type.id} ${name.text}`
  if (!attributes.has(key)) attributes.set(key, { name, type })
}

/** Defines each attribute, unless the type has a method or property of its name. */
function keepAttributes({ attributes, named }: CollectedCaptures): void {
  const methods = Map.groupBy(
    [...named.values()].flatMap(({ definition }) => (definition.kind === "method" ? [definition] : [])),
    ({ name }) => name,
  )
  for (const { name, type } of attributes.values()) {
    const isMethod = methods
      .get(name.text)
      ?.some(({ start }) => type.startIndex < start && start < type.endIndex)
    const owner = type.childForFieldName("name")
    let outer = name
    while (outer.parent && !outer.type.endsWith("assignment")) outer = outer.parent
    if (isMethod || owner === null || named.has(name.startIndex)) continue
    const roles: Roles = { outer, last: outer, kind: "field", names: [name], owner, body: null, scope: null }
    named.set(name.startIndex, { pattern: 0, definition: definitionOf(roles, outer) })
  }
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
  return text.replace(/\s+/g, " ").trim().slice(0, 120)
}

/**
 * A name without the punctuation that quotes it: Ruby's `:name`, Elixir's `name:`, Zig's `@"name"`, OCaml's `( + )`, a
 * key in quotes.
 */
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

/** Joins two parts of a name: with a blank if both are words (`operator bool`), otherwise without (`operator+`). */
function joinWords(one: string, other: string): string {
  return /\w$/.test(one) && /^\w/.test(other) ? `${one} ${other}` : one + other
}

/** The text of a heading: `<h2 id="use">Use <em>it</em></h2>` gives `Use it`. */
function headingText(html: string): string {
  return oneLine(html.replace(/<[^<>]*>/g, " "))
}

/** The bare name of a type: `Vec<T>` gives `Vec`, `*User` gives `User`, `&'a Foo` gives `Foo`. */
function typeName(text: string): string {
  return oneLine(text.replace(/^[&*\s]+/, "").replace(/[<([{][\s\S]*$/, ""))
}

function unquoted(text: string): string {
  return oneLine(text.slice(0, MAX_READ_CHARS).replace(/^["'`<]+|["'`>]+$/g, ""))
}
