const DIRECTIVE = /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b(.*)$/gm
/** Words by which a file's own test or demonstration is switched on. */
const TEST =
  /(?:^|[^a-z])(?:(?:SELF|UNIT)?_?TEST(?:S|ING)?|DEMO|EXAMPLES?|BENCH(?:MARKS?)?|FUZZ(?:ER|ING)?|STANDALONE)(?![a-z])|(?:^|_)MAIN_*$/i

/** Whether a branch is for a test only, and that behind its `#else`. */
type Branch = { readonly isTest: boolean; readonly isTestElse: boolean }

/** Whether what follows this text of C is compiled for a test only: behind `#ifdef LIST_TEST`, behind `#if 0`. */
export function isTestOnly(text: string): boolean {
  const open: Branch[] = []
  for (const [, directive = "", condition = ""] of text.matchAll(DIRECTIVE)) {
    const last = directive.startsWith("if") ? undefined : open.pop()
    if (directive === "else") open.push({ isTest: last?.isTestElse ?? false, isTestElse: false })
    else if (directive !== "endif") open.push(branchOf(directive, condition.replace(/\/[/*].*$/, "").trim()))
  }
  return open.some(({ isTest }) => isTest)
}

function branchOf(directive: string, condition: string): Branch {
  const isOff = condition === "0" || TEST.test(condition)
  const isNegated = directive === "ifndef" || condition.includes("!")
  return { isTest: isOff && !isNegated, isTestElse: isOff && isNegated }
}
