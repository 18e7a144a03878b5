import type { ExportAnswer, ImportAnswer } from "../../app/symbols/scip.ts"
import {
  confidenceWord,
  declaredElsewhere,
  type ReferenceAnswer,
  type RelatedAnswer,
  type SymbolAnswer,
} from "../../app/symbols/symbol-answer.ts"
import { plural } from "../../base/plural.ts"
import type { Colors } from "../output.ts"
import { printableLine } from "./printable.ts"

/** Formats an answer about a symbol; each line begins with a place that editors can open. */
export function renderSymbol(answer: SymbolAnswer, c: Colors): string {
  const { relation, related, references, outline, tests } = answer
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
  return relation === "impact" ? "affected" : relation
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
    c.yellow(`${unresolved.total} more unresolved uses, by name only`),
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
  const { repository, path, start_line, kind, name, depth, lines } = each
  const indent = relation === "callers" || relation === "callees" ? "  ".repeat(depth - 1) : ""
  const elsewhere = declaredElsewhere(each)
  const declared = elsewhere === null ? "" : c.dim(` declared at ${printableLine(elsewhere)}`)
  const at = lines.length === 0 ? declared : c.dim(` at ${lines.slice(0, 5).join(", ")}`)
  return `${indent}${place(repository, path, start_line, c)}  ${kind} ${printableLine(name)}${at}${targetsText(each, c)} ${relatedRemark(each, relation, c)}`.trimEnd()
}

/** The centrality of a central symbol, why an unused symbol may still be called, or the confidence of other symbols. */
function relatedRemark(
  { centrality, reason, confidence }: RelatedAnswer,
  relation: string,
  c: Colors,
): string {
  if (centrality !== undefined) return c.dim(`× ${centrality}`)
  return relation === "unused" ? c.dim(reason ?? confidence.toFixed(2)) : dimmedConfidence(confidence, c)
}

function referenceLine(each: ReferenceAnswer, c: Colors): string {
  const { repository, path, line, kind, confidence, text } = each
  return `${place(repository, path, line, c)}  ${c.dim(kind)}${targetsText(each, c)} ${dimmedConfidence(confidence, c)}  ${printableLine(text)}`
}

/** Which of several definitions are meant. */
function targetsText({ targets = [] }: Pick<ReferenceAnswer, "targets">, c: Colors): string {
  return targets.length === 0 ? "" : ` ${c.dim("→")} ${printableLine(targets.join(", "))}`
}

function dimmedConfidence(confidence: number, c: Colors): string {
  return c.dim(confidenceWord(confidence))
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
