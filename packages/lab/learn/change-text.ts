import type { Task } from "./task.ts"

export type ChangeText = Pick<Task, "source" | "title" | "body">

/** Titles of maintenance changes, for which nobody would ask where to make them. */
const UPKEEP = new RegExp(
  `^\\W*(?:${[
    "merge|bump|release|version|revert|reapply|roll(?:ing)? ?back|reland|prepare|publish|upgrade|backport|cherry",
    "v?\\d+\\.\\d|increment version|initial commit|wip\\b|oops|sync |rename |renamed |move |moved |bench",
    "(?:fix|fixes|fixed|add|adds|added|more|improve|update|updated|skip|disable|enable|remove) (?:\\w+ ){0,2}(?:typos?|lint|linting|formatting|tests?|specs?|ci|builds?|changelog|comments?|docs?|documentation|docstrings?|jsdocs?|readme|warnings?|imports?|types|typings)$",
    "typos?\\b|format|lint|fmt\\b|prettier|clippy|whitespace|clean ?up|refactor(?:ing)? only|tweak comments?",
    "updated? (?:dep|readme|translat|copyright|licen|version|lock|submodule|vendor|doc|changelog|to )",
    "translat|changelog|copyright|apply suggestions|address |docs?\\b|tests?\\b|ci\\b|chore\\b|style\\b|build\\b|comments?\\b|readme",
  ].join("|")})`,
  "iu",
)
const UPKEEP_WITHIN =
  /\b(?:dependabot|renovate|changelog|weblate|crowdin|pre-commit|golangci|clippy|rubocop:|codespell|spelling|misspell\w*|typos?|deps|dependenc(?:y|ies)|translations? (?:update|from)|lint(?:er|s|ing)?|mypy|pylint|reformat\w*|copyright|docstrings?|unused|dead code|code style|coding style)\b/iu
const BOT = /\[bot\]|dependabot|renovate|weblate|crowdin|github-actions|copybara|transifex/iu
/** Lines at the end of a message that are no description: sign-offs, change ids, links to issues. */
const TRAILER = new RegExp(
  [
    "^(?:[A-Z][A-Za-z-]*-(?:by|on|to|id|url|from)|PiperOrigin-RevId|git-svn-id|GitOrigin-RevId|Change-Id|Cc|Differential Revision):.*$",
    "^(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|related(?: to)?|see(?: also)?|pr|pull request|issue|bug|part of|backport of|cc)\\b:? ?(?:[\\w./-]*#\\d+|https?:\\S+|@\\S+)[.,]?.*$",
    "^-{3,}$|^Copilot-generated.*$|^🤖.*$|^\\(cherry picked from.*$",
  ].join("|"),
  "gimu",
)
const LINK_LINE = /^\s*(?:[-*]\s*)?(?:\(?#\d+\)?[,.]?\s*|https?:\S+\s*)+$/gmu
/** Bullets of a squashed branch that tell its history and not what the change does. */
const BULLET = /^[ \t]*[*-] +(?<said>.*)$/gmu
const BRANCH_WORK =
  /^(?:\[?autofix|\[pre-commit|merge |apply |address|review|pr |code review|lint|fmt|format|fix(?:es|ed|ing)? (?:the )?(?:tests?|lint|ci|build|typos?|formatting|comments?|merge)|update \S+\.\w+$|add(?:ed)? (?:tests?|changelog)|changelog|typo|wip|nits?\b|clean ?up|feedback|rebase|revert|tests?$|fix$|fixes$|more$|simplify|refactor|rename|comments?)|\bchangelog/iu
const COMMENT = /<!--[\s\S]*?-->/gu
const CONVENTIONAL = /^(?:fixup! |squash! )?(\w+) ?(?:\([^)]*\))?!?:\s*/u
const ASKED_TYPES = new Set(
  "feat feature fix bugfix hotfix perf refactor improvement improve enhancement enhance change add remove update security bug ref".split(
    " ",
  ),
)
const UPKEEP_TYPES = new Set(
  "chore docs doc test tests ci build style lint deps dep release revert i18n l10n wip typo types cleanup bench".split(
    " ",
  ),
)
const MIN_WORDS = 4
const MAX_TITLE_CHARS = 250
const MAX_BODY_CHARS = 6_000

/**
 * Title and body of a commit message without prefixes, numbers and trailers; null if it does not describe one
 * task.
 */
export function changeText(message: string, author: string): ChangeText | null {
  if (BOT.test(author)) return null
  const whole = message.replaceAll("\r", "")
  const merged = isMergeMessage(whole)
  const text = unwrapped(merged ? whole.slice(whole.indexOf("\n")) : whole)
  const numbered = /\(?(?:#|!|GH-)\d+\)?\s*$/u.test(text.title)
  const title = cleanTitle(text.title)
  if (title === null) return null
  return {
    source: merged ? "pull" : numbered ? "squash" : "commit",
    title,
    body: cleanBody(text.body, title),
  }
}

/** True for the message of a merge, with or without a description. */
export function isMergeMessage(message: string): boolean {
  return /^Merge /iu.test(message)
}

/** Title and body; joins a title that continues on the next line or that GitHub has cut off. */
function unwrapped(message: string): { title: string; body: string } {
  const lines = message.trim().split("\n")
  const blank = lines.findIndex((line) => line.trim() === "")
  const paragraph = lines.slice(0, blank < 0 ? undefined : blank).join(" ")
  const titleLines = paragraph.length <= MAX_TITLE_CHARS ? (blank < 0 ? lines.length : blank) : 1
  const title = lines.slice(0, titleLines).join(" ")
  const body = lines.slice(titleLines).join("\n").trim()
  const cut = /…(?= ?(?:\(#\d+\))?$)/u.exec(title)
  if (cut === null || !body.startsWith("…")) return { title, body }
  const [rest = "", ...more] = body.split("\n")
  return {
    title: title.slice(0, cut.index) + rest.slice(1) + title.slice(cut.index + 1),
    body: more.join("\n"),
  }
}

function cleanTitle(subject: string): string | null {
  const type = CONVENTIONAL.exec(subject)?.[1]?.toLowerCase()
  if (type !== undefined && UPKEEP_TYPES.has(type)) return null
  const bare = type !== undefined && ASKED_TYPES.has(type) ? subject.replace(CONVENTIONAL, "") : subject
  const title = bare
    .replace(/^(?:\[[^\]]*\]\s*)+/u, "")
    .replace(
      /\s*[([]?(?:(?:closes|fixes|resolves|fix|close|see|ref|issue|bug)s?:?\s*)?(?:#|!|GH-)\d+(?:,? (?:and )?#\d+)*[)\]]?/giu,
      "",
    )
    .replace(/\s+/gu, " ")
    .replace(/^[\s:.,-]+/u, "")
    .trim()
  if (title === "" || UPKEEP.test(title) || UPKEEP_WITHIN.test(subject) || /^merge /iu.test(title))
    return null
  return title.split(" ").length < MIN_WORDS ? null : title
}

function cleanBody(body: string, title: string): string {
  const text = body
    .replace(COMMENT, "")
    .replace(TRAILER, "")
    .replace(BULLET, (bullet, said: string) => (isBranchWork(said, title) ? "" : bullet))
    .replace(LINK_LINE, "")
    .replace(/\n\s*\n\s*/gu, "\n\n")
    .trim()
  return text === title ? "" : text.slice(0, MAX_BODY_CHARS)
}

/** True for a bullet that says nothing beyond the title. */
function isBranchWork(said: string, title: string): boolean {
  const bare = said.replace(CONVENTIONAL, "").trim()
  return bare === "" || BRANCH_WORK.test(bare) || bare.toLowerCase() === title.toLowerCase()
}
