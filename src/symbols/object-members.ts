/*
 * Properties of JavaScript that hold a function under a name: `this.total = computeTotal`, `total = computeTotal` in a
 * class, `Cart.prototype.total = computeTotal`, `const api = { total: computeTotal }`. A use of the property is a use
 * of the function. `boundPropertiesAmong` reads the lines that mention a function; `usesOfProperty` finds the uses.
 */

import { literalMethod, USE, type Use } from "../parse/index.ts"
import { Candidates } from "./candidate-definitions.ts"
import { TIE, type Tie } from "./certainty.ts"
import { definitionKey, isCallable, isType, type SymbolDefinition } from "./definition.ts"
import type { FileView } from "./file-view.ts"
import { isDeclaredNear } from "./meanings.ts"
import { FileMeanings, isResolved, type ResolvedMeaning } from "./resolve.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

/** A property that holds a target. */
export type BoundProperty = {
  readonly target: SymbolDefinition
  /** The property as a definition. */
  readonly property: SymbolDefinition
  /** True for a property of one constant; false for one of a class, or of what a constructor function makes. */
  readonly isOfConstant: boolean
  /** Ids of the files that use the property's name. */
  readonly users: readonly number[]
}

/** Number of files that are read for lines that bind a function to a property. */
const MAX_FILES = 100
/** The properties to which files bind the targets. */
export function boundPropertiesAmong(
  graph: SymbolGraph,
  targets: readonly SymbolDefinition[],
): readonly BoundProperty[] {
  return targets.flatMap((target) => {
    const { symbol, file: home } = target
    if (!mayBeBound(target)) return []
    const ids = graph.idsUsing(symbol.name)
    const near = ids.length > MAX_FILES ? [home.path] : []
    const found = graph
      .files(graph.inOrder(ids, near).slice(0, MAX_FILES))
      .filter((file) => file.family === "js" && names(file, symbol.name, home, graph))
      .flatMap((file) => propertiesIn(file, symbol.name, graph))
    return distinct(found)
      .slice(0, 12)
      .map((property) => {
        const isOfConstant = !isMadeFrom(property)
        return { target, property, isOfConstant, users: usersOf(property, isOfConstant, graph) }
      })
  })
}

/** Number of files that use the targets and were not read for properties that hold them. */
export function filesNotReadForProperties(graph: SymbolGraph, targets: readonly SymbolDefinition[]): number {
  const unread = targets
    .filter(mayBeBound)
    .map(({ symbol }) => graph.idsUsing(symbol.name).length - MAX_FILES)
  return Math.max(0, ...unread)
}

function mayBeBound({ symbol, file }: SymbolDefinition): boolean {
  if (file.family !== "js" || symbol.owner !== null || symbol.local !== 0) return false
  return isCallable(symbol) || isType(symbol)
}

/** Ids of the files that use a property's name; of a constant's property, only those that name the constant too. */
function usersOf({ symbol }: SymbolDefinition, isOfConstant: boolean, graph: SymbolGraph): readonly number[] {
  const ids = graph.idsUsing(symbol.name)
  if (!isOfConstant) return ids
  const holding = new Set(graph.idsUsing(symbol.owner!))
  return ids.filter((id) => holding.has(id))
}

function propertiesIn(file: FileView, name: string, graph: SymbolGraph): SymbolDefinition[] {
  const patterns = patternsOf(name)
  return file.usesOf(name).flatMap((use) => {
    if (use.flags !== 0 || isDeclaredNear(use)) return []
    const line = graph.lineOf(file.path, use.line)
    if (line === null || line.length > MAX_LINE_CHARS || !patterns.any.test(line)) return []
    const bound = boundOn(line, name, patterns, use.line, file)
    return bound === null ? [] : [propertyOf(bound, file, use.line, graph)]
  })
}

/** Longer lines are generated. */
const MAX_LINE_CHARS = 400

/** Patterns for lines that bind a name to a property; each such line matches `any`. */
type Patterns = Readonly<Record<"any" | "ofThis" | "ofPrototype" | "field" | "key", RegExp>>

function patternsOf(name: string): Patterns {
  const value = `${RegExp.escape(name)}\\s*(?:[;,})]|//|$)`
  return {
    any: new RegExp(`(?:[=:{,]\\s*|^\\s*)${value}`),
    ofThis: new RegExp(`\\bthis\\.([\\w$]+)\\s*=\\s*${value}`),
    ofPrototype: new RegExp(`([\\w$]+)\\.prototype\\.([\\w$]+)\\s*=\\s*${value}`),
    field: new RegExp(`^\\s*(?:[a-z]+\\s+)*(#?[\\w$]+)\\s*(?::[^=]+)?=\\s*${value}`),
    key: new RegExp(`(?:^\\s*|[{,]\\s*)(?:([\\w$]+)\\s*:\\s*)?${value}`),
  }
}

type Bound = { readonly property: string; readonly owner: string }

/** The property to which a line binds a name. */
function boundOn(text: string, name: string, patterns: Patterns, line: number, file: FileView): Bound | null {
  const ofThis = patterns.ofThis.exec(text)?.[1]
  if (ofThis !== undefined) return within(ofThis, ownerAround(file, line))
  const ofPrototype = patterns.ofPrototype.exec(text)
  if (ofPrototype) return { owner: ofPrototype[1]!, property: ofPrototype[2]! }
  const field = patterns.field.exec(text)
  if (field) return DECLARED.test(text) ? null : within(field[1]!, typeAt(file, line))
  const key = patterns.key.exec(text)
  return key === null ? null : within(key[1] ?? name, objectAround(file, line))
}

const DECLARED = /^\s*(?:export\s+)?(?:const|let|var)\b/

function within(property: string, owner: string | null): Bound | null {
  return owner === null ? null : { property, owner }
}

/** The type around a line, or the constructor function of JavaScript. */
function ownerAround(file: FileView, line: number): string | null {
  const around = file.outline.enclosing(line)
  return around === null ? null : (around.owner ?? around.name)
}

/** The type whose body has the line, outside of its methods. */
function typeAt(file: FileView, line: number): string | null {
  const around = file.outline.enclosing(line)
  return around !== null && isType(around) ? around.name : null
}

/** The constant that holds the object literal around a line. */
function objectAround(file: FileView, line: number): string | null {
  const around = file.symbols.findLast(
    ({ kind, startLine, endLine }) =>
      (kind === "constant" || kind === "variable") && startLine <= line && line <= endLine,
  )
  return around !== undefined && OBJECT.test(around.signature) ? around.name : null
}

const OBJECT = /=\s*(?:Object\.freeze\(\s*)?\{/

/** The definition of a property, or what it would be: not every property is a symbol of the index. */
function propertyOf(
  { property, owner }: Bound,
  file: FileView,
  line: number,
  graph: SymbolGraph,
): SymbolDefinition {
  const own = graph
    .definitionsOf(property)
    .find(({ symbol, file: home }) => home.id === file.id && symbol.owner === owner)
  const place = { startLine: line, endLine: line, ordinal: -1, index: line }
  const made = { fileId: file.id, name: property, kind: "property", owner, signature: "", local: 0 } as const
  return own ?? { symbol: { ...made, ...place }, file }
}

function distinct(all: readonly SymbolDefinition[]): SymbolDefinition[] {
  const keyOf = ({ symbol }: SymbolDefinition) => `${symbol.fileId} ${symbol.owner} ${symbol.name}`
  return [...new Map(all.map((each) => [keyOf(each), each])).values()]
}

/** A use of a property, with its tie to the function. */
export type PropertyUse = {
  readonly use: Use
  readonly target: SymbolDefinition
  readonly tie: Tie
}

/** The uses of a property in a file, beyond the line that binds it. */
export function usesOfProperty(
  { property, target, isOfConstant }: BoundProperty,
  file: FileView,
  graph: SymbolGraph,
): readonly PropertyUse[] {
  if (file.family !== "js") return []
  const { name } = property.symbol
  // A member without anything before it is the key of an object literal.
  const members = file
    .usesOf(name)
    .filter(
      ({ flags, qualifier, line }) =>
        (flags & USE.member) !== 0 &&
        qualifier !== null &&
        !(file.id === property.file.id && line === property.symbol.startLine),
    )
  const held = members.filter((use) => isOfHolder(use, property, file, graph))
  const uses = held.map((use) => ({ use, target, tie: TIE.certain }))
  // Several constants may have one name, such as `db`. So a use on a value of unknown type is no use of this one.
  if (isOfConstant || held.length === members.length) return uses
  const others = graph.definitionsOf(name).filter((each) => each !== property)
  const meanings = new FileMeanings(file, new Candidates([...others, property]), graph.types)
  const meant = members.flatMap((use) => {
    const [best] = held.includes(use) ? [] : meanings.of(use)
    if (best === undefined || best.definition === target || best.definition.symbol !== property.symbol)
      return []
    return [{ use, target, tie: best.tie }]
  })
  return [...uses, ...meant]
}

/** True for a property of a class, or of what a constructor function makes; false for one of a constant. */
function isMadeFrom({ symbol, file }: SymbolDefinition): boolean {
  return file.symbols.some((each) => each.name === symbol.owner && (isType(each) || isCallable(each)))
}

/** True for a member of the object or class that has the property, by its name: `prices.total` after an import of `prices`. */
function isOfHolder(
  { qualifier, path, flags }: Use,
  { symbol, file: home }: SymbolDefinition,
  file: FileView,
  graph: SymbolGraph,
): boolean {
  if (qualifier === null || qualifier !== symbol.owner || (path ?? null) !== null) return false
  if ((flags & USE.local) !== 0) return false
  return names(file, qualifier, home, graph)
}

/** True if a name in a file is one that the file `home` defines. */
function names(file: FileView, name: string, home: FileView, { types }: SymbolGraph): boolean {
  const { end, definitions } = types.names.global(name, file)
  return end === "certain" && definitions.some((each) => each.file.id === home.id)
}

/*
 * Object literals of JavaScript and TypeScript that implement an interface without a class: `const handler: Handler = {
 * onOpen() {} }`, `register({ onOpen() {} })`, `return { onOpen() {} }`. The index records the methods of object
 * literals with the type that the context expects.
 */

/** A definition in an object literal that implements a target. */
export type LiteralMember = {
  readonly definition: SymbolDefinition
  readonly target: SymbolDefinition
  readonly tie: Tie
}

/** Number of files with object literals that are read. */
const MAX_LITERAL_FILES = 200

/** The methods of object literals that implement members among the targets. */
export function literalMembersAmong(
  graph: SymbolGraph,
  targets: readonly SymbolDefinition[],
): readonly LiteralMember[] {
  const asked = targets.filter(({ symbol, file }) => file.family === "js" && symbol.owner !== null)
  return [...Map.groupBy(asked, ({ symbol }) => symbol.name)].flatMap(([name, same]) => {
    const ids = graph.idsUsing(literalMethod(name))
    if (ids.length === 0) return []
    const byKey = new Map(same.map((target) => [definitionKey(target), target]))
    const candidates = graph.candidatesOf(name)
    return graph.files(graph.inOrder(ids, [same[0]!.file.path]).slice(0, MAX_LITERAL_FILES)).flatMap((file) =>
      file.usesOf(literalMethod(name)).flatMap((use): LiteralMember[] => {
        const definition = candidates.inFile(file.id).find(({ symbol }) => symbol.startLine === use.line)
        const best = definition && implemented(use, definition, graph)
        const target = best && byKey.get(definitionKey(best.definition))
        if (target === undefined || !isResolved(best)) return []
        return [{ definition: definition!, target, tie: best.tie }]
      }),
    )
  })
}

/** The member of an interface that each of the targets implements as a method of an object literal. */
export function membersImplementedBy(
  graph: SymbolGraph,
  targets: readonly SymbolDefinition[],
): readonly LiteralMember[] {
  return targets.flatMap((definition) => {
    const { symbol, file } = definition
    if (file.family !== "js" || symbol.owner === null) return []
    const use = file.usesOf(literalMethod(symbol.name)).find(({ line }) => line === symbol.startLine)
    if (use === undefined) return []
    const best = implemented(use, definition, graph)
    return isResolved(best) ? [{ definition, target: best.definition, tie: best.tie }] : []
  })
}

/** What the method of an object literal implements, according to the type that the context expects. */
function implemented(
  use: Use,
  definition: SymbolDefinition,
  graph: SymbolGraph,
): ResolvedMeaning | undefined {
  const { symbol, file } = definition
  const others = graph
    .definitionsOf(symbol.name)
    .filter((each) => definitionKey(each) !== definitionKey(definition))
  const [best] = new FileMeanings(file, new Candidates(others), graph.types).of(memberUse(use, definition))
  return best
}

/** The use of the expected type's member that a method of an object literal is. */
function memberUse(use: Use, { symbol, file }: SymbolDefinition): Use {
  const own = { ...use, name: symbol.name }
  if (use.path?.startsWith(RESULT) !== true) return own
  // The object is the result of the function around it, not of the method itself, which begins on the same line.
  const around = file.symbols.findLast(
    (each) => isCallable(each) && each.startLine < symbol.startLine && symbol.endLine < each.endLine,
  )
  return around === undefined ? own : { ...own, line: around.startLine }
}

/** Begins the path of a function's result. */
const RESULT = "<"

/** The constants that hold an object literal of an interface: `const handler: Handler = {`. */
export function literalsOf(graph: SymbolGraph, type: SymbolDefinition): readonly LiteralMember[] {
  const { symbol, file: home } = type
  if (home.family !== "js" || symbol.kind !== "interface") return []
  const name = RegExp.escape(symbol.name)
  const typed = new RegExp(`:\\s*${name}(?:<.*>)?\\s*=\\s*\\{|\\bsatisfies\\s+${name}\\b`)
  return graph
    .files(graph.inOrder(graph.idsUsing(symbol.name), [home.path]).slice(0, MAX_LITERAL_FILES))
    .filter((file) => names(file, symbol.name, home, graph))
    .flatMap((file) =>
      file.symbols
        .filter((each) => !isType(each) && each.owner === null && typed.test(each.signature))
        .map((each) => ({
          definition: { symbol: each, file },
          target: type,
          tie: TIE.certain,
        })),
    )
}
