import { posix } from "node:path"
import { compareTexts, displayPath, FILE_FLAG } from "../../base/index.ts"
import { isTestFunction, testBlocksAround } from "../../parse/index.ts"
import type { SymbolRow } from "../../store/index.ts"
import { type AlsoUsedBy, type CallWalk, callersOf } from "../calls.ts"
import { weaker } from "../certainty.ts"
import {
  type Bounds,
  Budget,
  definitionKey,
  type Edge,
  isType,
  qualifiedName,
  type SymbolDefinition,
} from "../definition.ts"
import { headOf } from "../outside-callers.ts"
import type { SymbolGraph } from "../symbol-graph.ts"
import type { FileTexts } from "./answer-lines.ts"
import type { RelatedDefinition } from "./symbol-answer.ts"

/** A test, a group of tests or a whole file of tests that reaches the definitions asked for. */
export type ReachingTest = RelatedDefinition & {
  readonly depth: number
  readonly edges: Edge[]
  /** Names of the definitions between the test and those asked for, in the order of the calls. */
  readonly through: readonly string[]
  /** Titles of the groups around a test that is a call with a title, and its own. */
  readonly titles: readonly string[]
  /** True for all tests of a group, a type or a file. */
  readonly isGroup: boolean
}

type ReachingTests = {
  /** Nearest first. */
  readonly tests: readonly ReachingTest[]
  readonly unresolved: readonly Edge[]
  readonly notices: readonly string[]
}

export type TestOptions = { readonly bounds: Bounds; readonly alsoUsedBy?: AlsoUsedBy }

const MAX_STEPS = 5

/**
 * The tests that reach the definitions through calls. A use counts for the test around it: a function that its language's
 * runners take for a test, or a call with a title, such as `it("adds", …)`. A use outside of both counts for the file.
 */
export function testsReaching(
  graph: SymbolGraph,
  texts: FileTexts,
  definitions: readonly SymbolDefinition[],
  { bounds, alsoUsedBy }: TestOptions,
): ReachingTests {
  const walk = callersOf(graph, definitions, {
    ...{ depth: MAX_STEPS, isAnyUse: true, budget: new Budget(bounds) },
    ...(alsoUsedBy && { alsoUsedBy }),
  })
  const found = new FoundTests(definitions, walk)
  for (const edge of [...walk.steps.map((step) => step.edge), ...walk.topLevel])
    found.add(edge, testAround(edge, texts.lines(edge.file.path)))
  const isFar = walk.calls.some(({ depth }) => depth === MAX_STEPS)
  return {
    tests: found.nearestFirst(),
    unresolved: walk.unresolved,
    notices: [
      ...(walk.isCut
        ? [`partial: not every call could be followed in time (complete to depth ${walk.wholeDepth})`]
        : []),
      ...(isFar ? [`calls were followed ${MAX_STEPS} steps: tests farther away are not listed`] : []),
      ...uncalledNotes(found.uncalled()),
    ],
  }
}

/** Collects the tests that a walk to callers reaches, each at its smallest depth. */
class FoundTests {
  readonly #asked: ReadonlySet<string>
  readonly #reached: ReadonlyMap<string, CallWalk["calls"][number]>
  /** From a definition to the one that it uses on the shortest way to those asked for. */
  readonly #next = new Map<string, SymbolDefinition>()
  readonly #tests = new Map<string, ReachingTest>()
  /** Definitions in files of tests that are no tests themselves. */
  readonly #helpers = new Map<string, SymbolDefinition>()
  readonly #passed = new Set<string>()

  constructor(asked: readonly SymbolDefinition[], { calls, steps }: CallWalk) {
    this.#asked = new Set(asked.map(definitionKey))
    this.#reached = new Map(calls.map((call) => [definitionKey(call.definition), call]))
    for (const { definition, from } of steps) {
      const key = definitionKey(definition)
      if (!this.#next.has(key)) this.#next.set(key, from)
    }
  }

  /** Adds a use that the walk followed. `test`: the test around it. */
  add(edge: Edge, test: TestAround | null): void {
    if (test === null) {
      if (edge.within !== null && isTestFile(edge)) this.#addHelper({ symbol: edge.within, file: edge.file })
      return
    }
    const target = edge.target!
    const reached = this.#reached.get(definitionKey(target))
    const certainty = weaker(reached?.certainty ?? "certain", edge.certainty)
    if (certainty === "by name") return
    const way = this.#wayFrom(target)
    for (const each of way) this.#passed.add(definitionKey(each))
    const depth = way.length + 1
    const key = definitionKey(test.definition)
    const known = this.#tests.get(key)
    if (known?.depth === depth) known.edges.push(edge)
    else if (known === undefined || known.depth > depth)
      this.#tests.set(key, { ...test, depth, certainty, edges: [edge], through: way.map(qualifiedName) })
  }

  #addHelper(helper: SymbolDefinition): void {
    this.#helpers.set(definitionKey(helper), helper)
  }

  /** The definition and those after it on the way to one asked for, without that one. */
  #wayFrom(definition: SymbolDefinition): SymbolDefinition[] {
    const way: SymbolDefinition[] = []
    let at: SymbolDefinition | undefined = definition
    while (at !== undefined && way.length < MAX_STEPS && !this.#asked.has(definitionKey(at))) {
      way.push(at)
      at = this.#next.get(definitionKey(at))
    }
    return way
  }

  nearestFirst(): ReachingTest[] {
    return [...this.#tests.values()].sort(
      (one, other) =>
        one.depth - other.depth ||
        compareTexts(one.definition.file.path, other.definition.file.path) ||
        one.definition.symbol.startLine - other.definition.symbol.startLine,
    )
  }

  /** Helpers of tests that no test found passes through. */
  uncalled(): SymbolDefinition[] {
    return [...this.#helpers].flatMap(([key, each]) => (this.#passed.has(key) ? [] : [each]))
  }
}

/** A notice for code of tests, such as fixtures, that reaches the definitions and that no known test calls. */
function uncalledNotes([first, ...others]: readonly SymbolDefinition[]): string[] {
  if (first === undefined) return []
  const place = `${displayPath(first.file.path)}:${first.symbol.startLine}`
  return [
    others.length === 0
      ? `${qualifiedName(first)} (${place}) in test code reaches it, and no test that uses it is known`
      : `${others.length + 1} helpers in test code reach it, and no test that uses them is known (first ${place})`,
  ]
}

function isTestFile({ file }: Edge): boolean {
  return (file.flags & FILE_FLAG.test) !== 0
}

type TestAround = Pick<ReachingTest, "definition" | "titles" | "isGroup">

/** The test around a use; null if there is none, as in a helper. */
function testAround(edge: Edge, lines: readonly string[]): TestAround | null {
  const { file, within, line } = edge
  const definition = within === null ? null : { symbol: within, file }
  if (definition !== null && isTestFunction(file.family, headOf(definition, lines), isTestFile(edge)))
    return { definition, titles: [], isGroup: false }
  if (!isTestFile(edge)) return null
  const blocks = testBlocksAround(line, lines, within?.startLine ?? 1)
  if (blocks.length === 0 && definition !== null)
    return isType(definition.symbol) ? { definition, titles: [], isGroup: true } : null
  const inner = blocks[0] ?? { line: 1, isGroup: true }
  const titles = blocks.map(({ title }) => title).reverse()
  const symbol: SymbolRow = {
    ...{ name: titles.join(" > ") || posix.basename(file.path), kind: inner.isGroup ? "tests" : "test" },
    ...{ startLine: inner.line, endLine: line, signature: "", owner: null, local: 0 },
    // No symbol of the index has a negative position.
    ...{ fileId: file.id, ordinal: -inner.line, index: titles.length },
  }
  return { definition: { symbol, file }, titles, isGroup: inner.isGroup }
}
