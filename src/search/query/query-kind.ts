import { looksLikeSymbol } from "./identifiers.ts"

/**
 * What a query asks for. `name`: a symbol. `question`: where something is or how it works. `task`: the files to change,
 * for a change described in the words of an issue, a commit or a log.
 */
export type QueryKind = "name" | "question" | "task"

/** Determines the kind of a query from its wording alone, without an index. */
export function queryKind(query: string): QueryKind {
  const text = query.trim()
  if (looksLikeSymbol(text)) return "name"
  if (QUESTION.test(text) && !/[\n\r]/.test(text)) return "question"
  if (/[\n\r]/.test(text) || wordCount(text) > MAX_QUESTION_WORDS) return "task"
  if (SUBJECT.test(text)) return "task"
  const isTask = wordCount(text) >= MIN_TASK_WORDS && (PROBLEM.test(text) || TASK_BEGIN.test(text))
  return isTask ? "task" : "question"
}

/**
 * True for a query that `queryKind` calls a task but that may be a question: one line of plain words in the imperative
 * ("write a notebook as a plain script"). The text of a real task usually looks like the subject of a commit, with
 * names of code or an area before a colon ("parser: accept …").
 */
export function isUnsureTask(query: string): boolean {
  const text = query.trim()
  return queryKind(text) === "task" && !/[\n\r]/.test(text) && !AREA.test(text) && !CODE.test(text)
}

const AREA = /^(?:\[[^\]]{1,30}\]\s*)?[\w./@(){},*-]{1,40}(?:\s?[&,/]\s?[\w.-]{1,20})?!?:\s+\S/u
const CODE = /\p{Ll}\p{Lu}|[_`]|\(\)|::|\w\.\w|#\d/u

/**
 * Minimum number of words in a task: "delete account" and "cache store" search for code, while "delete the account
 * after 30 days" describes a change.
 */
const MIN_TASK_WORDS = 4

/** Maximum number of words in a question. The labelled questions have at most 17. */
const MAX_QUESTION_WORDS = 24

function wordCount(text: string): number {
  return text.split(/\s+/u).length
}

const QUESTION =
  /^(?:how|what|where|which|who|when|why|whose|is|are|does|do|can|could|find|show me|explain|describe|list)\b/iu

/**
 * Matches an area before a colon, as in the subject of a commit (`net/http: …`, `feat(ui): …`), or an imperative verb.
 */
const TASK_BEGIN =
  /^(?:\[[^\]]{1,30}\]\s*)?(?:[\w./@(){},*-]{1,40}(?:\s?[&,/]\s?[\w.-]{1,20})?!?:\s+\S|(?:fix|add|remove|delete|support|allow|make|use|don['’]?t|do not|never|always|avoid|handle|improve|update|change|rename|implement|prevent|ensure|correct|set|hide|move|replace|refactor|drop|enable|disable|return|check|skip|ignore|restore|respect|reduce|increase|expose|introduce|resolve|preserve|stop|clean|simplify|optimi[sz]e|extend|convert|pass|keep|limit|mark|accept|reject|raise|throw|report|log|validate|require|reset|migrate|switch|properly|correctly|only|better|apply|include|exclude|merge|split|create|write|treat|escape|normali[sz]e|cache|extract|adjust|bring|provide|force|redirect|render|display|emit|catch|guard|warn|parse|wait|retry|speed|fall ?back)(?:e?s|e?d)?\s)/iu

/** Matches a commit subject in the form of Conventional Commits. */
const SUBJECT = /^(?:fix|feat|perf|refactor|chore|build|docs|test|style|ci)(?:\([^)]{1,40}\))?!?:\s/iu

/**
 * Matches words which report that something is wrong. It has only forms that seldom name code: "raises", but not "leak"
 * or "panic".
 */
const PROBLEM =
  /\b(?:bugs?|(?:is|are|gets?) broken|crash(?:es|ed)|errors? (?:when|if|with|after)|fails|failed to|failing|incorrect(?:ly)?|wrong(?:ly)?|missing|doesn['’]?t|does not|don['’]?t|isn['’]?t|is not|can['’]?t|cannot|won['’]?t|not work(?:ing)?|no longer|unexpected(?:ly)?|raises|throws|hangs|leaks|should(?:n['’]?t)?|instead of|feature request|panics|panicked|segfaults?|infinite loop|inconsistent)\b/iu
