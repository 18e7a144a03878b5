import { LRUCache } from "lru-cache"
import type { Project } from "../../index/index.ts"
import { displayText, readableText } from "../../parse/index.ts"
import { filesByWord } from "../../search/index.ts"
import type { Store, SymbolRow } from "../../store/index.ts"
import { readLines, readSource } from "../../text/index.ts"
import { definitionKey, type Edge, qualifiedName, type SymbolDefinition } from "../definition.ts"
import type { Literal } from "../literals.ts"
import { graphOf, type SymbolGraph } from "../symbol-graph.ts"
import type {
  DefinitionAnswer,
  OutlineEntry,
  ReferenceAnswer,
  RelatedAnswer,
  RelatedDefinition,
  SymbolPlace,
} from "./symbol-answer.ts"

/** Maximum characters of a line; it is only a hint of what the place contains. */
const MAX_LINE_CHARS = 160

/** Larger files are mostly generated or data, and reading them takes longer than all others. */
export const QUICK_BYTES = 300_000

/**
 * Texts of a project's files as they are now, with "\n" as line ends; "" for a file that cannot be read. The last
 * `maxFiles` of them stay in memory.
 */
export class FileTexts {
  readonly #project: Project
  readonly #store: Store
  readonly #maxBytes: number
  readonly #texts: LRUCache<string, ReadText>

  constructor(project: Project, store: Store, maxBytes = Number.POSITIVE_INFINITY, maxFiles = 5_000) {
    this.#project = project
    this.#store = store
    this.#maxBytes = Math.min(project.config.index.maxFileBytes, maxBytes)
    this.#texts = new LRUCache({ max: maxFiles })
  }

  isRead(path: string): boolean {
    return this.#texts.has(path)
  }

  text(path: string): string {
    return this.#of(path).text
  }

  /** True if the file has not changed since it was indexed. */
  isAsIndexed(path: string): boolean {
    return this.#of(path).isAsIndexed
  }

  lines(path: string): readonly string[] {
    const file = this.#of(path)
    file.lines ??= file.text.split("\n")
    return file.lines
  }

  /** Ids of the indexed files that may contain a literal, by its words; all ids if its words do not tell. */
  idsOf({ names, files }: Literal): readonly number[] {
    const rows = this.#store.files
    if (files !== null) return rows.matching(files).flatMap((path) => rows.byPath(path)?.id ?? [])
    const reader = this.#project.reader()
    const byWord = reader === null ? null : filesByWord({ keyword: reader.keyword() })
    const found = names.map((each) => byWord?.ofNames(each) ?? null)
    if (found.length === 0 || found.includes(null)) return rows.amounts().map(({ id }) => id)
    return [...new Set(found.flatMap((ids) => [...ids!]))]
  }

  #of(path: string): ReadText {
    let file = this.#texts.get(path)
    if (file === undefined) {
      const { text, isAsIndexed } = this.#read(path)
      file = { text: readableText(path, text), isAsIndexed }
      this.#texts.set(path, file)
    }
    return file
  }

  #read(path: string): ReadText {
    const { root } = this.#project
    const maxBytes = this.#maxBytes
    const hash = this.#store.files.byPath(path)?.hash
    const indexed = this.#store.texts
    // A file with the indexed hash needs no check for secrets, because indexing has checked it.
    const asIndexed =
      hash === undefined ? null : readLines(root, path, { maxBytes, hash, indexed }, [ALL_LINES])
    if (asIndexed !== null) return { text: asIndexed[0]!, isAsIndexed: true }
    const source = readSource(root, path, maxBytes, { indexed })
    return { text: "reason" in source ? "" : source.text.replaceAll("\r\n", "\n"), isAsIndexed: false }
  }
}

type ReadText = { readonly text: string; readonly isAsIndexed: boolean; lines?: readonly string[] }

const ALL_LINES = { first: 1, last: Number.MAX_SAFE_INTEGER - 1 }

/** A use as an answer shows it, with its line. */
export function referenceAnswer(
  files: FileTexts,
  { file, line, kind, around, certainty, name: used }: Edge,
  name?: string,
): ReferenceAnswer {
  const text = (files.lines(file.path)[line - 1] ?? "").trim().slice(0, MAX_LINE_CHARS)
  const searchedName = used ?? name?.replace(/^.*[.:#>]/, "")
  // If the file has changed meanwhile, the line may contain another text. A call whose line does not contain the name is
  // then shown without text.
  const isShown =
    searchedName === undefined ||
    kind !== "call" ||
    lineContains(text, searchedName) ||
    files.isAsIndexed(file.path)
  const within = around === null ? null : qualifiedName({ symbol: around })
  return { path: file.path, line, kind, within, certainty, text: isShown ? displayText(text) : "" }
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
  certainty,
  edges = [],
  centrality,
  reason,
  declaredAt,
  through,
}: RelatedDefinition): RelatedAnswer {
  const lines = [...new Set(edges.map(({ line }) => line))]
  const answer = { ...symbolPlace(definition), depth, certainty, lines }
  return {
    ...answer,
    ...(centrality === undefined ? {} : { centrality }),
    ...(reason === undefined ? {} : { reason }),
    ...(through === undefined ? {} : { through }),
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
