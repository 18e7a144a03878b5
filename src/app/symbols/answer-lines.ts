import { displayText, readableText } from "../../code/readable-text.ts"
import type { Store } from "../../store/index/store.ts"
import type { SymbolRow } from "../../store/index/symbols.ts"
import { definitionKey, type Edge, qualifiedName, type SymbolDefinition } from "../../symbols/definition.ts"
import { graphOf, type SymbolGraph } from "../../symbols/symbol-graph.ts"
import { readSource } from "../../text/files/read-source.ts"
import type { Project } from "../project/open-project.ts"
import type {
  DefinitionAnswer,
  OutlineEntry,
  ReferenceAnswer,
  RelatedAnswer,
  SymbolPlace,
} from "./symbol-answer.ts"

/** Maximum characters of a line; it is only a hint of what the place contains. */
const MAX_LINE_CHARS = 160

/** Reads lines of files as they are now, each file once. */
export class AnswerLines {
  readonly #project: Project
  readonly #files = new Map<string, TextLines>()

  constructor(project: Project) {
    this.#project = project
  }

  answer({ file, line, kind, around, confidence, name: used }: Edge, name?: string): ReferenceAnswer {
    const text = this.#of(file.path).at(line).trim().slice(0, MAX_LINE_CHARS)
    const searchedName = used ?? name?.replace(/^.*[.:#>]/, "")
    return {
      path: file.path,
      line,
      kind,
      within: around === null ? null : qualifiedName({ symbol: around }),
      confidence,
      // If the file has changed meanwhile, the line may contain another text. A call whose line does not contain the
      // name is therefore shown without text.
      text:
        searchedName === undefined || lineContains(text, searchedName) || kind !== "call"
          ? displayText(text)
          : "",
    }
  }

  #of(path: string): TextLines {
    let lines = this.#files.get(path)
    if (!lines) {
      const { root, config } = this.#project
      const source = readSource(root, path, config.index.maxFileBytes)
      lines = new TextLines("reason" in source ? "" : readableText(path, source.text))
      this.#files.set(path, lines)
    }
    return lines
  }
}

/** A text whose line starts are searched only as far as needed. */
class TextLines {
  readonly #text: string
  readonly #starts = [0]

  constructor(text: string) {
    this.#text = text
  }

  /** Line `line` (1-based) without its line end; "" after the last line. */
  at(line: number): string {
    while (this.#starts.length <= line) {
      const end = this.#text.indexOf("\n", this.#starts.at(-1))
      this.#starts.push(end < 0 ? this.#text.length + 1 : end + 1)
    }
    return this.#text.slice(this.#starts[line - 1], this.#starts[line]! - 1)
  }
}

/**
 * True if the line contains the name, ignoring case and hyphens, because a template may write `my-card` for MyCard, and
 * `order.total` for getTotal.
 */
function lineContains(text: string, name: string): boolean {
  const [line, wanted] = [text.toLowerCase(), name.toLowerCase().replace(/[!?]$/, "")]
  const property = /^(?:get|is)[A-Z]/.test(name) ? `.${wanted.replace(/^(?:get|is)/, "")}` : wanted
  return line.includes(wanted) || line.replaceAll("-", "").includes(wanted) || line.includes(property)
}

/** The symbol graph of a project. It reads manifests such as package.json, because they decide what an import names. */
export function graphIn({ root, config }: Project, store: Store): SymbolGraph {
  const { maxFileBytes } = config.index
  return graphOf(store, (path) => {
    const source = readSource(root, path, maxFileBytes)
    return "reason" in source ? null : source.text
  })
}

export function definitionAnswer(
  definition: SymbolDefinition,
  { doc, centrality }: Pick<DefinitionAnswer, "doc" | "centrality">,
): DefinitionAnswer {
  const { signature } = definition.symbol
  return { ...symbolPlace(definition), signature, doc, language: definition.file.language, centrality }
}

export function relatedAnswer({
  definition,
  depth = 1,
  confidence,
  edges = [],
  centrality,
  reason,
  declaredAt,
}: {
  readonly definition: SymbolDefinition
  readonly depth?: number
  readonly confidence: number
  readonly edges?: readonly Edge[]
  readonly centrality?: number
  readonly reason?: string
  readonly declaredAt?: Edge
}): RelatedAnswer {
  const lines = [...new Set(edges.map(({ line }) => line))]
  const answer = { ...symbolPlace(definition), depth, confidence: Math.round(confidence * 100) / 100, lines }
  return {
    ...answer,
    ...(centrality === undefined ? {} : { centrality }),
    ...(reason === undefined ? {} : { reason }),
    ...(declaredAt === undefined
      ? {}
      : { declared_at: { path: declaredAt.file.path, line: declaredAt.line } }),
  }
}

/**
 * The symbols of a file in the order of their positions; `level` is the number of symbols that contain a
 * symbol.
 */
export function outlineOf(path: string, symbols: readonly SymbolRow[]): OutlineEntry[] {
  const sorted = [...symbols].sort(
    (one, other) => one.startLine - other.startLine || other.endLine - one.endLine,
  )
  // The symbols that contain the current one, outermost first.
  const open: SymbolRow[] = []
  return sorted.map((symbol) => {
    while (open.length > 0 && open.at(-1)!.endLine < symbol.endLine) open.pop()
    const level = open.length
    open.push(symbol)
    const { kind, signature, startLine, endLine } = symbol
    return {
      name: qualifiedName({ symbol }),
      kind,
      path,
      start_line: startLine,
      end_line: endLine,
      signature,
      level,
    }
  })
}

function symbolPlace({ symbol, file }: SymbolDefinition): SymbolPlace {
  return {
    name: qualifiedName({ symbol }),
    kind: symbol.kind,
    path: file.path,
    start_line: symbol.startLine,
    end_line: symbol.endLine,
  }
}

type Targets = Pick<ReferenceAnswer, "targets">

/**
 * Returns a function that says which of several definitions uses refer to: by their names, or by their places where two have
 * one name. It says nothing if there is only one definition, or if all may be meant.
 */
export function targetNames(definitions: readonly SymbolDefinition[]): (edges: readonly Edge[]) => Targets {
  if (definitions.length < 2) return () => ({})
  const byName = Map.groupBy(definitions, qualifiedName)
  const names = new Map(
    definitions.map((each) => {
      const name = qualifiedName(each)
      const isOnly = byName.get(name)!.length === 1
      return [definitionKey(each), isOnly ? name : `${each.file.path}:${each.symbol.startLine}`]
    }),
  )
  return (edges) => {
    const found = new Set(edges.flatMap(({ target }) => (target && names.get(definitionKey(target))) ?? []))
    return found.size === 0 || found.size === definitions.length ? {} : { targets: [...found] }
  }
}
