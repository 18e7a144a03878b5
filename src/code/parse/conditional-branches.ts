import { isClosing, isOpening } from "../references/name-chars.ts"

/** A branch of a conditional group, that is, the text between two of its directives. */
type Branch = { readonly start: number; end: number; depth: number; isBroken: boolean }

type ConditionalGroup = {
  /** Name of the directive that opens the group, such as `#if`. */
  readonly head: string
  readonly branches: Branch[]
  /** The directives of the group, as pairs of offsets. */
  readonly directives: [start: number, end: number][]
}

const DIRECTIVE = /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?:[^\n\\]|\\[\s\S])*/gm

/**
 * Makes C code with conditional compilation parseable. If a branch opens a bracket that it does not close, no grammar
 * can parse the file. Then `#if` and the other directives of the group are replaced by blanks, and of several branches
 * that open the same brackets only the first is kept. Offsets and rows stay the same. A text without such branches is
 * returned unchanged.
 */
export function withoutBrokenBranches(text: string): string {
  const blank: [start: number, end: number][] = []
  const open: ConditionalGroup[] = []
  let at = 0
  const read = (end: number) => {
    const branch = open.at(-1)?.branches.at(-1)
    if (branch !== undefined) addBrackets(branch, text, at, end)
  }
  for (const match of text.matchAll(DIRECTIVE)) {
    const word = match[1]!
    const start = match.index
    const end = start + match[0].length
    read(start)
    at = end
    if (word.startsWith("if")) {
      open.push({ head: match[0], branches: [branchAt(end)], directives: [[start, end]] })
      continue
    }
    const group = open.at(-1)
    if (group === undefined) continue
    group.branches.at(-1)!.end = start
    group.directives.push([start, end])
    if (word !== "endif") {
      group.branches.push(branchAt(end))
      continue
    }
    open.pop()
    const kept = closeGroup(group, blank)
    const outer = open.at(-1)?.branches.at(-1)
    if (outer !== undefined && kept !== null) {
      outer.depth += kept.depth
      outer.isBroken ||= outer.depth < 0
    }
  }
  return blank.length === 0 ? text : blanked(text, blank)
}

function branchAt(start: number): Branch {
  return { start, end: start, depth: 0, isBroken: false }
}

/**
 * Adds to `blank` the parts of a group that must be replaced by blanks. Returns the branch that is kept; null if all
 * branches are kept.
 */
function closeGroup(
  { head, branches, directives }: ConditionalGroup,
  blank: [number, number][],
): Branch | null {
  const isBroken = branches.some((branch) => branch.isBroken || branch.depth !== 0)
  if (!isBroken || C_PLUS_PLUS.test(head)) return null
  const [first] = branches
  const isSame = branches.every(({ depth }) => depth === first!.depth)
  const kept = isSame && NEVER.test(head) ? branches.at(-1)! : first!
  blank.push(...directives)
  if (isSame) for (const each of branches) if (each !== kept) blank.push([each.start, each.end])
  return isSame ? kept : { ...first!, depth: branches.reduce((sum, { depth }) => sum + depth, 0) }
}

/** Matches the condition of the directives around `extern "C" {`, which the grammar can parse. */
const C_PLUS_PLUS = /__cplusplus/
const NEVER = /#[ \t]*if[ \t]+0\b/

const SKIPPED = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[()[\]{}]/g

function addBrackets(branch: Branch, text: string, from: number, to: number): void {
  for (const [found] of text.slice(from, to).matchAll(SKIPPED)) {
    const code = found.charCodeAt(0)
    if (isOpening(code)) branch.depth++
    else if (isClosing(code) && --branch.depth < 0) branch.isBroken = true
  }
}

function blanked(text: string, spans: [number, number][]): string {
  let result = ""
  let at = 0
  for (const [start, end] of spans.toSorted((one, other) => one[0] - other[0])) {
    if (end <= at) continue
    const from = Math.max(at, start)
    result += text.slice(at, from) + text.slice(from, end).replace(/[^\r\n]/g, " ")
    at = end
  }
  return result + text.slice(at)
}
