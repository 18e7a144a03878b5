/*
 * `aman symbol`. Parses the requested relation, asks the project, other repositories or a team's server, and prints
 * places, JSON or a drawing. Also imports and exports SCIP indexes.
 */

import { AmanError, plural } from "../../../base/index.ts"
import {
  DRAWN_RELATIONS,
  type DrawnRelation,
  declaredElsewhere,
  type ExportAnswer,
  type ImportAnswer,
  loadDrawing,
  loadDrawnSymbols,
  loadScip,
  loadSymbolProject,
  otherUsesNotes,
  partialNotes,
  RELATIONS,
  type ReferenceAnswer,
  type RelatedAnswer,
  type Relation,
  type SymbolAnswer,
  type SymbolRequest,
  unseenNotes,
} from "../../../symbols/index.ts"
import { SYMBOL, symbolRequest } from "../../verbs/code.ts"
import { type Command, EXIT, type Flag, type FlagValues, type Input } from "../command.ts"
import { asFilters, flagsOf, fromFlags } from "../flags.ts"
import { type Colors, reportFailure } from "../output.ts"
import { printableLine } from "../text.ts"
import { INDEX_FLAGS, remarkNotices, withProject, withSource } from "../with-project.ts"

const FLAGS: readonly Flag[] = [
  { name: "references", help: "Every place that uses the symbol" },
  { name: "callers", help: "Its callers; --depth follows their callers as well" },
  { name: "callees", help: "Its callees; --depth follows their callees as well" },
  { name: "implementations", help: "Types and methods that extend or implement it" },
  { name: "impact", help: "Code that may break if it changes, and the tests that reach it" },
  {
    name: "tests",
    help: "The tests that reach it through calls, nearest first, and the commands that run them",
  },
  {
    name: "diff",
    help: "The impact of every change since a commit, or between two (main..HEAD), given instead of NAME (default: HEAD)",
  },
  { name: "outline", help: "The symbols a file defines; the file is given instead of NAME" },
  { name: "unused", help: "Functions and types whose names are not used: candidates for removal" },
  {
    name: "mermaid",
    help: "Draw the symbol with its callers, callees and implementations, or with the relation given, as a Mermaid flowchart",
  },
  { name: "dot", help: "Draw the same in the DOT language of Graphviz" },
  { name: "scip", value: "FILE", help: "export: write what is certain to FILE as a SCIP index" },
  { name: "central", help: "The most central symbols by PageRank, without NAME" },
  ...flagsOf(SYMBOL),
]

export const symbolCommand: Command = {
  usage: "[flags] NAME | import FILE | export --scip FILE",
  details: `Shows where a symbol is defined, with its signature and documentation. NAME is a name, Owner.name or a place,
such as src/a.ts:12, src/a.ts#Owner.name or, for a use, src/a.ts:12#name; case and underscores may differ. A use is certain if scope, import and type lead to the definition,
possible if one of these steps could not be followed, or tied by name; unresolved uses are listed separately. If a name has more than 20 definitions, only uses of the 20 most central are
listed. A NAME that nothing defines may be a route (/users/:id), an environment variable, or a table, topic, remote
procedure or configuration key: then the lines that declare and use it are shown. Several steps (--depth, --impact) end after 500 places or 10 seconds, and the output says which steps are
complete. import adds the places of a SCIP index, written by a compiler or an indexer; they are used for files that have
not changed since. Exits with 1 if no symbol is called NAME, or if it has nothing of the kind that was asked for.`,
  flags: [...FLAGS, ...INDEX_FLAGS],
  examples: [
    { line: "aman symbol parseConfig", note: "definition, signature and documentation" },
    {
      line: "aman symbol Store.open --references --exact",
      note: "every use, with the help of a language server",
    },
    { line: "aman symbol Store.open --callers --depth 3", note: "its callers, up to three steps" },
    { line: "aman symbol 'GET /users/:id' --references", note: "where a route is declared and called" },
    { line: "aman symbol --outline src/main.ts", note: "the symbols of a file" },
    { line: "aman symbol Config --impact", note: "what may break, and which tests reach it" },
    { line: "aman symbol parseConfig --tests", note: "which tests cover it, and how to run them" },
    { line: "aman symbol --impact --diff main..HEAD", note: "the impact of everything a branch changed" },
    { line: "aman symbol Config --mermaid", note: "a drawing of its neighbourhood" },
    {
      line: "aman symbol --impact --diff --dot | dot -Tsvg",
      note: "what your uncommitted changes may break",
    },
    { line: "aman symbol --central -n 20", note: "the most central symbols" },
    { line: "aman symbol import index.scip", note: "places from an indexer such as scip-typescript" },
    { line: "aman symbol export --scip index.scip", note: "what the graph is certain of, for other tools" },
    { line: "aman symbol parseConfig --references --team '*'", note: "every use in the team's repositories" },
    { line: "aman symbol --unused --path src", note: "candidates for removal" },
  ],
  async run(input) {
    const exchange = exchangeOf(input)
    if (exchange !== null) return await exchange()
    const request = requestOf(input)
    const form = drawingOf(input, request)
    if (form !== null) return await printDrawing(input, request, form)
    const asking = withSource(input, (source) => source.symbol(request))
    const answer = await asking.catch((error: unknown) => {
      if (isUnknown(error, request)) return error
      throw error
    })
    if (answer instanceof AmanError) {
      const options = { json: input.flags.has("json"), verbose: input.flags.has("verbose") }
      await reportFailure(answer, options, input.output)
      return EXIT.nothingFound
    }
    if (input.flags.has("json")) await input.output.json(answer)
    else {
      await input.output.write(renderSymbol(answer, input.output.colors))
      remarkNotices(input, notesOf(answer))
    }
    return isEmpty(answer) ? EXIT.nothingFound : EXIT.ok
  },
}

/** The function that runs `import FILE` or `export --scip FILE`; null for a question, also about a symbol "import". */
function exchangeOf(input: Input): (() => Promise<number>) | null {
  const { words, flags } = input
  const [verb, file, ...others] = words
  if (verb === "import" && file !== undefined && others.length === 0) return () => importFile(input, file)
  const target = flags.text("scip")
  if (target === undefined) return null
  if (verb !== "export" || file !== undefined)
    throw new AmanError("USAGE", "--scip goes with export", {
      hint: "for example: aman symbol export --scip index.scip",
    })
  return () => exportFile(input, target)
}

async function importFile(input: Input, file: string): Promise<number> {
  const { importScip } = await loadScip()
  const answer = await withProject(input, (project) => importScip(project, file, input))
  if (input.flags.has("json")) await input.output.json(answer)
  else {
    await input.output.write(renderImport(answer))
    remarkNotices(input, answer.notices)
  }
  return answer.files === 0 ? EXIT.nothingFound : EXIT.ok
}

async function exportFile(input: Input, file: string): Promise<number> {
  const { exportScip } = await loadScip()
  const answer = await withProject(input, (project) => exportScip(project, file, input))
  if (input.flags.has("json")) await input.output.json(answer)
  else {
    await input.output.write(renderExport(answer))
    remarkNotices(input, answer.notices)
  }
  return answer.documents === 0 ? EXIT.nothingFound : EXIT.ok
}

/**
 * True if the error says that the project defines no symbol of the requested name. For a command this is an empty
 * answer (exit code 1), not a failure.
 */
function isUnknown(error: unknown, { name }: SymbolRequest): error is AmanError {
  return name !== undefined && error instanceof AmanError && error.code === "NOT_FOUND"
}

function requestOf({ words, flags }: Input): SymbolRequest {
  const relation = relationOf(flags)
  const [word, ...others] = words
  if (others.length > 0)
    throw new AmanError("USAGE", "symbol takes one name", { hint: "for example: aman symbol parseConfig" })
  const isDiff = flags.has("diff")
  const takesNoName = isDiff || relation === "unused" || relation === "central" || relation === "outline"
  const asked = fromFlags(SYMBOL, flags)
  return symbolRequest({
    ...{ ...asked, relation },
    ...(takesNoName ? {} : { name: word }),
    ...(isDiff ? { diff: word ?? "HEAD" } : {}),
    ...(relation === "outline" && word !== undefined ? { path: word } : {}),
  })
}

function relationOf(flags: FlagValues): Relation {
  const given = RELATIONS.filter((name) => name !== "definition" && flags.has(name))
  if (given.length > 1)
    throw new AmanError("USAGE", `--${given[0]} and --${given[1]} cannot be combined`, {
      hint: "run one command for each",
    })
  if (!flags.has("diff")) return given[0] ?? "definition"
  if (given[0] !== undefined && given[0] !== "impact")
    throw new AmanError("USAGE", `--diff cannot be combined with --${given[0]}`, {
      hint: "--diff always shows the impact",
    })
  return "impact"
}

/** True if nothing was found. Unresolved uses count as found, because they may be callers. */
function isEmpty({ relation, definitions, total, tests, unresolved }: SymbolAnswer): boolean {
  if (relation === "definition") return definitions.length === 0
  return total === 0 && tests.length === 0 && unresolved.total === 0
}

function notesOf(answer: SymbolAnswer): string[] {
  const { notices, next_offset, total, unseen_files } = answer
  return [
    ...notices,
    ...(next_offset === null
      ? []
      : [`there are ${total}${unseen_files > 0 ? " so far" : ""}: continue with --offset ${next_offset}`]),
    ...otherUsesNotes(answer),
    ...unseenNotes(answer),
    ...partialNotes(answer),
  ]
}

type DrawingFormat = "mermaid" | "dot"

/** The requested form of drawing; null if the flags request none. Throws USAGE for a relation without a graph. */
export function drawingOf({ flags }: Input, { relation, name, diff }: SymbolRequest): DrawingFormat | null {
  const [form, other] = (["mermaid", "dot"] as const).filter((each) => flags.has(each))
  if (form === undefined) return null
  if (other !== undefined || flags.has("json"))
    throw new AmanError("USAGE", "choose one of --mermaid, --dot and --json")
  const hint = "for example: aman symbol Config --impact --mermaid"
  if (!isDrawn(relation) && relation !== "definition")
    throw new AmanError("USAGE", `--${relation} cannot be drawn`, { hint })
  if (flags.has("repository"))
    throw new AmanError("USAGE", "symbols of other repositories cannot be drawn", { hint })
  if (name === undefined && diff === undefined) throw new AmanError("USAGE", "no symbol given", { hint })
  return form
}

function isDrawn(relation: Relation): relation is Relation & DrawnRelation {
  return (DRAWN_RELATIONS as readonly string[]).includes(relation)
}

/** Prints the graph of the symbols related to the requested symbol, or to a diff, as Mermaid or DOT text. */
export async function printDrawing(
  input: Input,
  request: SymbolRequest,
  form: DrawingFormat,
): Promise<number> {
  const { output, signal } = input
  const { symbolOf } = await loadSymbolProject()
  const { graphFor } = await loadDrawnSymbols()
  const graphs = await loadDrawing()
  const relation = isDrawn(request.relation) ? request.relation : "neighbourhood"
  const answer = await withProject(input, (project) => {
    const path = request.path && asFilters(project, [request.path])[0]!
    const options = { refresh: true, signal, isPatient: true }
    return graphFor((each) => symbolOf(project, each, options), { ...request, path, relation })
  }).catch((error: unknown) => {
    if (error instanceof AmanError && error.code === "NOT_FOUND") return error
    throw error
  })
  if (answer instanceof AmanError) {
    await reportFailure(answer, { json: false, verbose: input.flags.has("verbose") }, output)
    return EXIT.nothingFound
  }
  await output.write(graphs[form](answer.graph))
  remarkNotices(input, answer.notices)
  return answer.graph.edges.length === 0 ? EXIT.nothingFound : EXIT.ok
}

/** Formats an answer about a symbol; each line begins with a place that editors can open. */
export function renderSymbol(answer: SymbolAnswer, c: Colors): string {
  const { relation, related, references, outline, tests, commands = [] } = answer
  const lines = [
    ...definitionLines(answer, c),
    ...listSection(relation === "references" ? "related" : relationHeading(answer), related, c, (related) =>
      relatedLine(related, relation, c),
    ),
    ...listSection(
      relation === "callers" ? "calls outside of functions" : relation,
      references,
      c,
      (reference) => referenceLine(reference, c),
    ),
    ...outline.map(
      ({ repository, path, start_line, level, signature }) =>
        `${place(repository, path, start_line, c)}  ${"  ".repeat(level)}${printableLine(signature)}`,
    ),
    ...(tests.length === 0 ? [] : ["", c.bold("tests that reach it"), ...tests.map(printableLine)]),
    ...(commands.length === 0 ? [] : ["", c.bold("to run them"), ...commands.map(printableLine)]),
    ...otherFileLines(answer, c),
    ...(answer.total + tests.length + answer.files.length === 0 && relation !== "definition"
      ? [noResultLine(answer)]
      : []),
    ...unresolvedLines(answer, c),
  ]
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}

function definitionLines({ relation, definitions }: SymbolAnswer, c: Colors): string[] {
  const isAsked = relation === "definition"
  const lines = definitions.flatMap(
    ({ repository, path, start_line, end_line, kind, name, signature, doc }) => [
      `${place(repository, path, start_line, c)}${c.dim(`-${end_line}`)}  ${kind} ${c.bold(printableLine(name))}`,
      ...(isAsked ? [`  ${printableLine(signature)}`] : []),
      ...(isAsked && doc !== null ? [`  ${c.dim(printableLine(doc))}`] : []),
    ],
  )
  return isAsked || lines.length === 0 ? lines : [...lines, ""]
}

/** A heading, and a line for each element of the list; nothing for an empty list. */
function listSection<T>(
  heading: string,
  all: readonly T[],
  c: Colors,
  lineOf: (each: T) => string,
): string[] {
  return all.length === 0 ? [] : [c.bold(heading), ...all.map(lineOf)]
}

function relationHeading({ relation }: SymbolAnswer): string {
  return { impact: "affected", tests: "tests that reach it" }[relation as string] ?? relation
}

/** The affected files of which no definition is listed; nothing if only a page of the definitions is. */
function otherFileLines({ files, related, total }: SymbolAnswer, c: Colors): string[] {
  const listed = new Set(related.map(({ path }) => path))
  const others = related.length < total ? [] : files.filter((path) => !listed.has(path))
  return others.length === 0
    ? []
    : [...(total === 0 ? [] : [""]), c.bold("affected outside of functions"), ...others.map(printableLine)]
}

/** Unresolved uses are shown even if there are no other results, because they may refer to the symbol. */
function unresolvedLines({ unresolved }: SymbolAnswer, c: Colors): string[] {
  if (unresolved.total === 0) return []
  return [
    "",
    c.yellow(`${unresolved.total} more unresolved uses, by name`),
    ...unresolved.places.map((each) => referenceLine(each, c)),
  ]
}

function noResultLine({ relation, unresolved }: SymbolAnswer): string {
  return unresolved.total > 0 ? `no certain ${relation}` : `no ${relation}`
}

/** A place that editors can open, after the name of its repository unless it is the project. */
function place(repository: string | undefined, path: string, line: number, c: Colors): string {
  const where = repository === undefined ? "" : `${c.cyan(printableLine(repository))} `
  return `${where}${c.cyan(printableLine(path))}:${c.green(String(line))}`
}

function relatedLine(each: RelatedAnswer, relation: string, c: Colors): string {
  const { repository, path, start_line, kind, name, depth, lines, through = [] } = each
  const indent = relation === "callers" || relation === "callees" ? "  ".repeat(depth - 1) : ""
  const elsewhere = declaredElsewhere(each)
  const declared = elsewhere === null ? "" : c.dim(` declared at ${printableLine(elsewhere)}`)
  const at = lines.length === 0 ? declared : c.dim(` at ${lines.slice(0, 5).join(", ")}`)
  const via = through.length === 0 ? "" : c.dim(` through ${printableLine(through.join(" > "))}`)
  return `${indent}${place(repository, path, start_line, c)}  ${kind} ${printableLine(name)}${at}${via}${targetsText(each, c)} ${relatedRemark(each, c)}`.trimEnd()
}

/** The centrality of a central symbol, why an unused symbol may still be called, or the certainty of other symbols. */
function relatedRemark({ centrality, reason, certainty }: RelatedAnswer, c: Colors): string {
  if (centrality !== undefined) return c.dim(`× ${centrality}`)
  return c.dim(reason ?? certainty)
}

function referenceLine(each: ReferenceAnswer, c: Colors): string {
  const { repository, path, line, kind, certainty, text } = each
  return `${place(repository, path, line, c)}  ${c.dim(kind)}${targetsText(each, c)} ${c.dim(certainty)}  ${printableLine(text)}`
}

/** Which of several definitions are meant. */
function targetsText({ targets = [] }: Pick<ReferenceAnswer, "targets">, c: Colors): string {
  return targets.length === 0 ? "" : ` ${c.dim("→")} ${printableLine(targets.join(", "))}`
}

/** The result of importing an index: numbers of imported files and places, and the files left out with the reason. */
export function renderImport({ tool, files, places, left_out, total }: ImportAnswer): string {
  const from = tool === "" ? "" : ` from ${printableLine(tool)}`
  const lines = [`imported ${plural(places, "place")} in ${plural(files, "file")}${from}`]
  for (const { reason, files: number, paths } of left_out) {
    const more = number > paths.length ? ", …" : ""
    lines.push(
      `left out ${plural(number, "file")}, ${REASONS[reason]}: ${paths.map(printableLine).join(", ")}${more}`,
    )
  }
  if (total.files !== files)
    lines.push(`all imports: ${plural(total.places, "place")} in ${plural(total.files, "file")}`)
  return `${lines.join("\n")}\n`
}

const REASONS: Readonly<Record<ImportAnswer["left_out"][number]["reason"], string>> = {
  outside: "whose paths lead out of the project",
  "not indexed": "which aman does not index",
  changed: "which have changed since they were indexed",
}

export function renderExport({ file, documents, symbols, uses, left_out }: ExportAnswer): string {
  const rest = left_out === 0 ? "" : `; left out ${plural(left_out, "use")} that are not certain`
  return `wrote ${plural(symbols, "symbol")} and ${plural(uses, "use")} of ${plural(documents, "file")} to ${printableLine(file)}${rest}\n`
}
