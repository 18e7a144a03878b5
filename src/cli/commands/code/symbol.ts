/*
 * `aman symbol`. Parses the requested relation, asks the project, other repositories or a team's server, and prints
 * places, JSON or a drawing. Also imports and exports SCIP indexes.
 */

import {
  otherUsesNotes,
  partialNotes,
  type Relation,
  type SymbolAnswer,
  type SymbolRequest,
  unseenNotes,
} from "../../../app/symbols/symbol-answer.ts"
import { AmanError } from "../../../base/errors.ts"
import { SYMBOL, symbolRequest } from "../../../verbs/code.ts"
import { type Command, EXIT, type Flag, type FlagValues, type Input } from "../../command.ts"
import { reportFailure } from "../../failure.ts"
import { flagsOf, fromFlags } from "../../flags/flags.ts"
import { renderExport, renderImport, renderSymbol } from "../../render/render-symbol.ts"
import { INDEX_FLAGS, remarkNotices, withProject, withSource } from "../../with-project.ts"
import { drawingOf, printDrawing } from "./draw-symbol.ts"

const FLAGS: readonly Flag[] = [
  { name: "references", help: "Every place that uses the symbol" },
  { name: "callers", help: "Its callers; --depth follows their callers as well" },
  { name: "callees", help: "Its callees; --depth follows their callees as well" },
  { name: "implementations", help: "Types and methods that extend or implement it" },
  { name: "impact", help: "Code that may break if it changes, and the tests that reach it" },
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

const RELATIONS: readonly Exclude<Relation, "definition">[] = [
  "references",
  "callers",
  "callees",
  "implementations",
  "impact",
  "outline",
  "unused",
  "central",
]

export const symbolCommand: Command = {
  usage: "[flags] NAME | import FILE | export --scip FILE",
  details: `Shows where a symbol is defined, with its signature and documentation. NAME is a name, Owner.name or a place
in a file (src/a.ts:12); case and underscores may differ. Uses are resolved by scope, then by imports, then by nearby files, each with a confidence;
unresolved uses are listed separately. If a name has more than 20 definitions, only uses of the 20 most central are
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
  const { importScip } = await import("../../../app/symbols/scip.ts")
  const answer = await withProject(input, (project) => importScip(project, file, input))
  if (input.flags.has("json")) await input.output.json(answer)
  else {
    await input.output.write(renderImport(answer))
    remarkNotices(input, answer.notices)
  }
  return answer.files === 0 ? EXIT.nothingFound : EXIT.ok
}

async function exportFile(input: Input, file: string): Promise<number> {
  const { exportScip } = await import("../../../app/symbols/scip.ts")
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
  const given = RELATIONS.filter((name) => flags.has(name))
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
