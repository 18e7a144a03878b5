import type { Passage } from "../../text/terms/query-terms.ts"

/**
 * Weights of the kinds of parts in a pasted text: how much a word in such a part says about the code that is meant. The
 * title names the subject; logs, version numbers and the headings of a form are in every report. Measured on mined
 * tasks: docs/decisions/figures.md.
 */
const WEIGHTS = { title: 1, name: 0.7, error: 0.7, prose: 0.4, frame: 0.3, code: 0.3, aside: 0.05 } as const

type PastedPart = keyof typeof WEIGHTS

/**
 * Number of characters read from the start of a text that is longer than MAX_HEAD + MAX_TAIL: a pasted file or log,
 * whose start names the subject. The limits bound the time of a query.
 */
export const MAX_HEAD = 7_000
/** Number of characters read from the end of such a long text, where the error message is. */
export const MAX_TAIL = 3_000

/**
 * The text that is searched for: the whole text, or the start and the end of a text longer than MAX_HEAD + MAX_TAIL.
 */
export function headAndTail(text: string): string {
  if (text.length <= MAX_HEAD + MAX_TAIL) return text
  return `${text.slice(0, MAX_HEAD)}\n${text.slice(-MAX_TAIL)}`
}

/**
 * The text without what trackers and commits add to it: trailers (Signed-off-by, Co-authored-by) and references to issues
 * and pull requests (Closes #12, (#45)). Unchanged if nothing else is in it.
 */
export function withoutReferences(text: string): string {
  const rest = text.replace(TRAILER, "").replace(REFERENCE, " ")
  return /[\p{L}\p{N}]/u.test(rest) ? rest : text
}

const TRAILER =
  /(?<=^|\s)(?:co-authored|co-developed|signed-off|reviewed|acked|tested|reported|suggested|helped|approved)-by:[^\n\r]*|^[ \t]*(?:change-id|git-svn-id):[^\n\r]*|\(cherry picked from commit [\da-f]+\)/gim
const ISSUE =
  "(?:[\\w.-]{1,100}\\/[\\w.-]{1,100})?#\\d{1,8}|GH-\\d{1,8}|https?:\\/\\/[^\\s)]{1,300}\\/(?:issues|pull|merge_requests)\\/\\d{1,8}"
const REFERENCE = new RegExp(
  `\\((?:${ISSUE})(?:,\\s*(?:${ISSUE}))*\\)|\\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|refs?|references|see|part of|related to)[ \\t]*:?[ \\t]+(?:issues?[ \\t]+)?(?:${ISSUE})(?:(?:,|[ \\t]and)[ \\t]*(?:${ISSUE}))*[.:]?`,
  "gi",
)

/**
 * Maximum number of characters read of a line, which bounds the work for a minified file. This many characters contain
 * more words than a query uses.
 */
const MAX_LINE = 2_000
/** Maximum length of a title. In a text of one line, the first sentence is the title if it is not longer. */
const MAX_TITLE = 200

/**
 * Splits a query into passages with weights. A query of one short line is one passage of weight 1. In a longer text,
 * the first line or sentence is the title, and every other line is classified by its form.
 */
export function passagesOf(query: string): Passage[] {
  const text = withoutReferences(query.replace(/<!--[\s\S]{0,5000}?-->/g, " ")).trim()
  const { title, rest } = titleOf(text)
  if (rest === "") return [{ text: title, weight: WEIGHTS.title }]
  const passages: Passage[] = [{ text: title, weight: WEIGHTS.title }]
  const add = (part: PastedPart, line: string) => passages.push({ text: line, weight: WEIGHTS[part] })
  for (const { part, line } of classifiedLines(rest)) {
    add(part, line)
    if (part === "prose") for (const name of namesInLine(line)) add("name", name)
  }
  return passages
}

/**
 * The title of a text: the first line that is a sentence or an error message, not the heading of a form, a frame of a
 * trace or a log line. Of a long line, only the first sentence. If the text is only a stack trace, its error message is
 * the title.
 */
function titleOf(text: string): { readonly title: string; readonly rest: string } {
  const lines = text.split(/\r\n?|\n/)
  const found = lines.findIndex((line) => TITLE_PARTS.has(classifyLine(line.slice(0, MAX_LINE), false)))
  const at = Math.max(0, found)
  const line = lines[at]!.trim()
  const rest = [...lines.slice(0, at), ...lines.slice(at + 1)].join("\n").trimEnd()
  if (line.length <= MAX_TITLE) return { title: line, rest }
  const end = /[.!?:](?=\s)/.exec(line.slice(0, MAX_TITLE))
  const cut = end === null ? line.lastIndexOf(" ", MAX_TITLE) : end.index + 1
  const length = cut <= 0 ? MAX_TITLE : cut
  return { title: line.slice(0, length), rest: `${line.slice(length).trim()}\n${rest}` }
}

const TITLE_PARTS: ReadonlySet<PastedPart | null> = new Set<PastedPart>(["prose", "error"])

function* classifiedLines(text: string): Generator<{ readonly part: PastedPart; readonly line: string }> {
  let isFenced = false
  let isAside = false
  for (const whole of text.split(/\r\n?|\n/)) {
    const line = whole.slice(0, MAX_LINE)
    if (FENCE.test(line)) {
      isFenced = !isFenced
      continue
    }
    if (!isFenced && HEADING.test(line)) isAside = ASIDE.test(line)
    const part = isAside ? "aside" : classifyLine(line, isFenced)
    if (part !== null) yield { part, line }
  }
}

function classifyLine(line: string, isFenced: boolean): PastedPart | null {
  if (!/[\p{L}\p{N}]/u.test(line)) return null
  if (FORM.test(line) || CHECKBOX.test(line) || VERSION.test(line)) return "aside"
  if (FRAME.test(line)) return "frame"
  if (ERROR.test(line)) return "error"
  if (LOG.test(line)) return "aside"
  return isFenced || INDENTED.test(line) ? "code" : "prose"
}

const FENCE = /^\s{0,3}(?:```|~~~)/
const HEADING = /^\s{0,3}(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)/
const INDENTED = /^(?:\t| {4,})\S/

// Headings of the forms that issue trackers provide. They say nothing about the project.
const FORM =
  /^[\s#*_>-]*(?:steps to reproduce|how to reproduce|to reproduce|reproduction(?: steps)?|minimal repro\w*|expected (?:behaviou?r|results?|output)|(?:actual|current|observed) (?:behaviou?r|results?|output)|describe the (?:bug|issue|feature)|what happened|what (?:did )?you expect\w*.{0,20}|is your feature request.*|describe (?:the solution|alternatives).*|additional (?:context|information)|possible solution|checklist|bug report|feature request|problem(?: description)?|summary|description|motivation|background|context|environment|system info\w*|versions?|logs?|screenshots?|stack ?trace|traceback(?: \(most recent call last\))?)\s*[*_]*[:?]?\s*[*_]*$/i
const ASIDE =
  /environment|system|platform|version|setup|check ?list|screenshot|log output|related|your environment/i
const CHECKBOX = /^\s*[-*]\s*\[[ xX]\]/
const VERSION =
  /^[\s*_>-]*(?:os|platform|operating system|browser|python|node(?:\.js)?|npm|yarn|pnpm|java|jdk|go|rust\w*|cargo|ruby|php|\.net|kernel|arch\w*|version|[\w .-]{2,20} version)[*_]*\s*[:=]\s*[*_]*\s*\S{0,20}.{0,30}$/i
const LOG = /^\s*(?:\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|(?:\[)?(?:INFO|DEBUG|TRACE|WARN(?:ING)?|NOTICE)\b)/
// Frames of stack traces in Python, JavaScript, Java and C#, Go, Rust, PHP.
const FRAME =
  /^\s*(?:File "[^"]+", line \d+|at\s+\S.*[:(]|\S+\.go:\d+|\d+:\s+(?:0x[0-9a-f]+\s+-\s+)?\w+(?:::\w+)+|#\d+\s+\S|from \S+:\d+:in|\S+\.\w{1,4}:\d+(?::\d+)?:?\s)/
const ERROR =
  /^\s*(?:Caused by: |Uncaught |Unhandled |E\s{3})?(?:[\w.$]*(?:Error|Exception|Warning|Fault|Panic)\b.*:|(?:error|fatal|panic|fatal error|exception)(?:\[\w+\])?:|thread '.*' panicked)/i

/** Names of code in prose: in backticks, calls, and words with an inner capital, underscore or separator. */
function namesInLine(line: string): string[] {
  return (line.match(NAMES) ?? []).slice(0, MAX_NAMES)
}

const MAX_NAMES = 20
const NAMES =
  /`[^`]{1,80}`|[\p{L}_$][\p{L}\p{N}_$]*(?:(?:::|->|[.#])[\p{L}_][\p{L}\p{N}_]*)+|[\p{L}_][\p{L}\p{N}_]*(?=\(\))|\p{L}+_[\p{L}\p{N}_]+|_[\p{L}\p{N}_]+|\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{Lu}\p{Ll}+\p{Lu}[\p{L}\p{N}]*|--?\p{L}[\p{L}-]{2,}/gu
