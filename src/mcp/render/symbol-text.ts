import {
  confidenceWord,
  declaredElsewhere,
  otherUsesNotes,
  partialNotes,
  type ReferenceAnswer,
  type RelatedAnswer,
  type SymbolAnswer,
  unseenNotes,
} from "../../app/symbols/symbol-answer.ts"
import { DATA_NOTICE, inline } from "../../text/fence.ts"

/** Formats the answer for a model: one place per line. */
export function symbolText(answer: SymbolAnswer): string {
  const { relation, definitions, related, references, outline, tests, files, total, next_offset } = answer
  const lines = [
    DATA_NOTICE,
    ...definitions.map(({ repository, path, start_line, end_line, kind, signature, doc }) =>
      [
        `defined: ${pathWithRepository(repository, path)}:${start_line}-${end_line} ${kind}: ${inline(signature)}`,
        ...(doc === null ? [] : [`  ${inline(doc)}`]),
      ].join("\n"),
    ),
    ...(relation === "definition"
      ? []
      : [
          total + files.length + tests.length === 0
            ? `no ${relation}`
            : `${relation}: ${total}${answer.unseen_files > 0 ? " so far" : ""}`,
        ]),
    ...related.map((each) => relatedText(each, relation)),
    ...references.map(referenceText),
    ...outline.map(
      ({ start_line, end_line, level, signature }) =>
        `${"  ".repeat(level)}${start_line}-${end_line} ${inline(signature)}`,
    ),
    ...(tests.length === 0 ? [] : [`tests that reach it: ${tests.map(inline).join(", ")}`]),
    ...(files.length === 0 ? [] : [`files affected: ${files.map(inline).join(", ")}`]),
    ...unresolvedText(answer),
    ...otherUsesNotes(answer).map((note) => `${note}.`),
    ...unseenNotes(answer).map((note) => `${note}.`),
    ...(next_offset === null ? [] : [`There is more: the same call with "offset": ${next_offset}.`]),
    ...partialNotes(answer).map((note) => `${note}.`),
  ]
  return [...lines, ...answer.notices.map((notice) => `Note: ${notice}`)].join("\n")
}

function unresolvedText({ unresolved: { total, places } }: SymbolAnswer): string[] {
  if (total === 0) return []
  return [`${total} more unresolved uses of the name:`, ...places.map(referenceText)]
}

function relatedText(each: RelatedAnswer, relation: SymbolAnswer["relation"]): string {
  const { repository, path, start_line, kind, name, depth, confidence, lines, centrality, reason } = each
  const certainty = relation === "unused" ? (reason ?? confidence) : confidenceWord(confidence)
  const elsewhere = declaredElsewhere(each)
  const declared = elsewhere === null ? "" : ` declared at ${inline(elsewhere)}`
  const at = lines.length === 0 ? declared : ` at line ${lines.slice(0, 5).join(", ")}`
  return `${"  ".repeat(depth - 1)}${pathWithRepository(repository, path)}:${start_line} ${kind} ${inline(name)}${at}${targetsText(each)} (${centrality ?? certainty})`
}

function referenceText(each: ReferenceAnswer): string {
  const { repository, path, line, kind, within, confidence, text } = each
  const where = within === null ? "" : ` in ${inline(within)}`
  return `${pathWithRepository(repository, path)}:${line} ${kind}${targetsText(each)}${where} (${confidenceWord(confidence)}): ${inline(text)}`
}

/** Which of several definitions are meant. */
function targetsText({ targets = [] }: Pick<ReferenceAnswer, "targets">): string {
  return targets.length === 0 ? "" : ` → ${inline(targets.join(", "))}`
}

/** The path, after the name of its repository unless it is the project. */
function pathWithRepository(repository: string | undefined, path: string): string {
  return repository === undefined ? inline(path) : `${inline(repository)} ${inline(path)}`
}
