/*
 * Object literals of JavaScript and TypeScript that implement an interface without a class: `const handler: Handler = {
 * onOpen() {} }`, `register({ onOpen() {} })`, `return { onOpen() {} }`. The index records the methods of object
 * literals with the type that the context expects.
 */

import { literalMethod, type Use } from "../../code/references/use-code.ts"
import { definitionKey, isCallable, isType, type SymbolDefinition } from "../definition.ts"
import { Candidates } from "../resolve/candidate-definitions.ts"
import { FileMeanings } from "../resolve/file-meanings.ts"
import { MIN_CONFIDENCE, type ResolvedMeaning } from "../resolve/resolve.ts"
import type { SymbolGraph } from "../symbol-graph.ts"

/** A definition in an object literal that implements a target. */
export type LiteralMember = {
  readonly definition: SymbolDefinition
  readonly target: SymbolDefinition
  readonly confidence: number
}

/** Number of files with object literals that are read. */
const MAX_FILES = 200
const TYPED_CONFIDENCE = 0.85

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
    return graph.files(graph.inOrder(ids, [same[0]!.file.path]).slice(0, MAX_FILES)).flatMap((file) =>
      file.usesOf(literalMethod(name)).flatMap((use): LiteralMember[] => {
        const definition = candidates.inFile(file.id).find(({ symbol }) => symbol.startLine === use.line)
        const best = definition && implemented(use, definition, graph)
        const target = best && byKey.get(definitionKey(best.definition))
        if (target === undefined || best!.confidence < MIN_CONFIDENCE) return []
        return [{ definition: definition!, target, confidence: best!.confidence }]
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
    return best === undefined || best.confidence < MIN_CONFIDENCE
      ? []
      : [{ definition, target: best.definition, confidence: best.confidence }]
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
    .files(graph.inOrder(graph.idsUsing(symbol.name), [home.path]).slice(0, MAX_FILES))
    .filter((file) => file.mayNameOneOf(home, symbol.name))
    .flatMap((file) =>
      file.symbols
        .filter((each) => !isType(each) && each.owner === null && typed.test(each.signature))
        .map((each) => ({
          definition: { symbol: each, file },
          target: type,
          confidence: TYPED_CONFIDENCE,
        })),
    )
}
