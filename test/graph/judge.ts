/** Asks the symbol graph for the references of every definition of some programs, and compares them with what is true. */
import { graphIn } from "../../src/symbols/answer/answer-lines.ts"
import type { Edge, SymbolDefinition } from "../../src/symbols/definition.ts"
import { referencesTo } from "../../src/symbols/references.ts"
import type { SymbolGraph } from "../../src/symbols/symbol-graph.ts"
import { TempProject } from "../temp-project.ts"
import type { TruePlace, TrueUse } from "./marked-text.ts"
import type { Program } from "./programs.ts"

/**
 * What became of a use. Of its own definition: `right` is certain, `possible` less than that, `noted` is missed by an
 * answer that says what it could not decide, `silent` is missed by one that says nothing, `undefined` was not asked
 * because the definition is not known. Of another definition: `wrong` is certain, `guessed` less than that.
 */
export const OUTCOMES = ["right", "possible", "noted", "silent", "wrong", "guessed", "undefined"] as const

type Outcome = (typeof OUTCOMES)[number]

export type Finding = {
  readonly outcome: Outcome
  /** Construct around the use, and how its file reaches the package. */
  readonly label: string
  readonly id: string
  readonly path: string
  readonly line: number
  readonly program: Program
}

/** Indexes the programs as one project, and judges all of them. */
export async function judge(
  programs: readonly Program[],
  tree: Readonly<Record<string, string>> = {},
): Promise<Finding[]> {
  const files = Object.assign({}, tree, ...programs.map((each) => Object.fromEntries(each.files)))
  using project = new TempProject(files)
  await project.index()
  const opened = project.open()
  const graph = graphIn(opened, opened.reader()!.store)
  return programs.flatMap((program) => {
    const usesOf = Map.groupBy(program.uses, ({ id }) => id)
    return [...program.definitions].flatMap(([id, places]) =>
      judgeDefinition(graph, program, { id, places, uses: usesOf.get(id) ?? [] }),
    )
  })
}

type Truth = {
  readonly id: string
  readonly places: readonly TruePlace[]
  readonly uses: readonly TrueUse[]
}

function judgeDefinition(graph: SymbolGraph, program: Program, { id, places, uses }: Truth): Finding[] {
  const finding = (outcome: Outcome, path: string, line: number): Finding[] => [
    { outcome, label: program.labels.get(`${path}:${line}`) ?? "another program", id, path, line, program },
  ]
  const targets = places.flatMap((place) => definitionAt(graph, place) ?? [])
  if (targets.length === 0) return finding("undefined", places[0]!.path, places[0]!.line)
  const { edges, unresolved, unseen } = referencesTo(graph, targets)
  const missed = unresolved.length + unseen > 0 ? "noted" : "silent"
  const found = Map.groupBy(edges, ({ file, line }) => `${file.path}:${line}`)
  const defined = new Set(places.map(({ path, line }) => `${path}:${line}`))
  const expected = new Map(uses.map((use) => [`${use.path}:${use.line}`, use]))
  const ofUses = [...expected].flatMap(([place, { path, line }]) => {
    const here = found.get(place)
    if (here !== undefined) return finding(here.some(isCertain) ? "right" : "possible", path, line)
    return defined.has(place) ? [] : finding(missed, path, line)
  })
  const ofOthers = [...found].flatMap(([place, here]) => {
    if (expected.has(place) || defined.has(place) || program.allowed.get(place)?.has(id)) return []
    return finding(here.some(isCertain) ? "wrong" : "guessed", here[0]!.file.path, here[0]!.line)
  })
  return [...ofUses, ...ofOthers]
}

function isCertain({ certainty }: Edge): boolean {
  return certainty === "certain"
}

/** The definition at a place; in Elixir, its name has those of the modules around it. */
function definitionAt(graph: SymbolGraph, { path, line, name }: TruePlace): SymbolDefinition | null {
  const file = graph.file(path)
  const symbol = file?.symbols.find(
    (each) => each.startLine === line && (each.name === name || each.name.endsWith(`.${name}`)),
  )
  return file && symbol ? { symbol, file } : null
}
