import { expect, test } from "bun:test"
import { indexedGraph } from "../../test/indexed-graph.ts"
import { Budget, qualifiedName, type SymbolDefinition } from "./definition.ts"
import { implementationsOf } from "./implementations.ts"
import { type References, referencesTo } from "./references.ts"
import { SymbolGraph } from "./symbol-graph.ts"

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

/** Six layers of thirty types, each of which extends all types of the layer above: 30⁶ paths lead down. */
const layers = numbers(6).flatMap((layer) =>
  numbers(30).map((at) => {
    const above = layer === 0 ? "Top" : numbers(30).map((each) => `L${layer - 1}x${each}`)
    return `interface L${layer}x${at} extends ${above} { ${layer === 5 ? "rest(): void" : ""} }`
  }),
)

const FILES = {
  "chart.ts": `export interface Chart {
${numbers(6)
  .map((at) => `  attr(name: string, v${at}: number): Chart`)
  .join("\n")}
  done(): void
}
export class Other {
  done(): void {}
}
`,
  "draw.ts": `import type { Chart } from "./chart.ts"
export function draw(chart: Chart): void {
  chart.attr("a", 0).attr("b", 1).attr("c", 2).attr("d", 3).attr("e", 4).attr("f", 5).attr("g", 6).attr("h", 7).attr("i", 8).done()
}
`,
  "loop.ts": `declare function make(): any
export class Base {
  a: Walk = make()
  stop(): void {}
}
export class Walk extends Base {
  a = this${".a".repeat(22)}
  go(): void {
    this.a.stop()
  }
}
`,
  "late.ts": `export class Late {
  serve(): void {}
}
export function late(one: Late, other: Late): void {
  one.serve()
  other.serve()
  one.serve()
  other.serve()
}
`,
  "layers.ts": `interface Top { rest(): void }\n${layers.join("\n")}\n`,
}

const { graph } = await indexedGraph(FILES)

function the(name: string): SymbolDefinition {
  return graph.definitionsOf(name.slice(name.indexOf(".") + 1)).find((each) => qualifiedName(each) === name)!
}

const linesOf = (edges: readonly { readonly line: number }[]) => edges.map(({ line }) => line)

test("ends a chain of overloads and finds its result type", () => {
  expect(linesOf(referencesTo(graph, the("Chart.done")).edges)).toEqual([3])
  expect(referencesTo(graph, the("Other.done")).edges).toEqual([])
})

test("ends at a field that is defined by itself and lists its member as unresolved", () => {
  const { edges, unresolved } = referencesTo(graph, the("Base.stop"))
  expect(linesOf([...edges, ...unresolved])).toEqual([9])
})

test("visits each type once on very many inheritance paths", () => {
  const { found } = implementationsOf(graph, the("Top.rest"))
  expect(found.map(({ definition }) => qualifiedName(definition)).sort()).toEqual(
    numbers(30)
      .map((at) => `L5x${at}.rest`)
      .sort(),
  )
})

test("reports uses as unresolved when time is up within one file", () => {
  const count = ({ edges, unresolved }: References) => edges.length + unresolved.length
  const within = (ms: number) => {
    let asked = 0
    const fresh = new SymbolGraph(graph.store).follow()
    return referencesTo(fresh, the("Late.serve"), new Budget({ files: 10, ms, now: () => asked++ }))
  }
  const whole = referencesTo(graph, the("Late.serve"))
  expect(linesOf(whole.edges)).toEqual([5, 6, 7, 8])
  const cut = numbers(12)
    .map(within)
    .filter(({ unseen, edges }) => unseen === 0 && edges.length < 4)
  expect(cut.length).toBeGreaterThan(0)
  for (const each of cut) expect(count(each)).toBe(count(whole))
})
