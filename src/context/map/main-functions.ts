import { posix } from "node:path"
import { compareTexts, FILE_FLAG, NOT_MAIN_FLAGS } from "../../base/index.ts"
import { pathFlags } from "../../parse/index.ts"
import type { FileAmount, Store, SymbolRow } from "../../store/index.ts"

export type MainFunction = { readonly path: string; readonly line: number }

/** Maximum number of files to read for deciding whether their main function is built. */
const MAX_FILES_READ = 100

/** Functions with which programs start; those of benchmarks come last. */
export function mainFunctions(
  store: Store,
  files: readonly FileAmount[],
  textOf: (path: string) => string | null,
): MainFunction[] {
  const mainFiles = new Map(files.filter(isMainCode).map((file) => [file.id, file]))
  const candidates = ["main", "Main"]
    .flatMap((name) => store.symbols.findByName(name))
    .flatMap((symbol) => {
      const file = mainFiles.get(symbol.fileId)
      return file !== undefined && isMain(symbol, file) ? [{ file, line: symbol.startLine }] : []
    })
    .sort(
      (one, other) =>
        benchmarkFlag(one.file) - benchmarkFlag(other.file) || compareTexts(one.file.path, other.file.path),
    )
  return candidates
    .slice(0, MAX_FILES_READ)
    .filter(({ file, line }) => isBuilt(store, file, line, textOf))
    .slice(0, 12)
    .map(({ file, line }) => ({ path: file.path, line }))
}

/** True for files of the project proper. A benchmark counts if it lies among the sources, not in a benchmark folder. */
function isMainCode({ path, flags }: FileAmount): boolean {
  const sideFlags = flags & NOT_MAIN_FLAGS
  if (sideFlags !== FILE_FLAG.bench) return sideFlags === 0
  return (pathFlags(`${posix.dirname(path)}/x`) & FILE_FLAG.bench) === 0
}

function benchmarkFlag({ flags }: FileAmount): number {
  return flags & FILE_FLAG.bench
}

const BUILDS = /(?:^|\/)build\.(?:rs|zig)$/
/** Languages whose main function is a method of a class. */
const OF_A_CLASS: ReadonlySet<string> = new Set(["java", "kotlin", "scala", "csharp", "dart"])

function isMain({ name, kind, owner, signature }: SymbolRow, { path, language }: FileAmount): boolean {
  if (name !== (language === "csharp" ? "Main" : "main") || BUILDS.test(path)) return false
  if (language === "kotlin" && !KOTLIN_MAIN.test(signature)) return false
  return kind === "function" || (kind === "method" && (owner === null || OF_A_CLASS.has(language)))
}

/**
 * Any class may have a function named main; the one that starts a program takes no parameters or the arguments, and
 * returns nothing.
 */
const KOTLIN_MAIN = /\bmain\s*\(\s*(?:\)(?!\s*:\s*(?!Unit\b))|vararg\b|\w+\s*:\s*Array\b)/

const IGNORED = /^\/\/(?:go:build|\s*\+build)\s+ignore\b/m
const PREPROCESSED: ReadonlySet<string> = new Set(["c", "cpp", "objective-c"])

/**
 * True for a file that is part of the program. False for a test in the file itself, and for a Go tool that is excluded
 * from the build.
 */
function isBuilt(
  store: Store,
  { path, language }: FileAmount,
  line: number,
  textOf: (path: string) => string | null,
): boolean {
  if (language === "go")
    return store.files.byPath(path)?.package === "main" && !IGNORED.test(textAbove(textOf(path), line))
  return !PREPROCESSED.has(language) || !isTestOnly(textAbove(textOf(path), line))
}

/** The text above a line; `line` is 1-based. */
function textAbove(text: string | null, line: number): string {
  return (text ?? "").split("\n", line - 1).join("\n")
}

const DIRECTIVE = /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b(.*)$/gm
/** Names of macros that enable a file's own test or demonstration. */
const TEST =
  /(?:^|[^a-z])(?:(?:SELF|UNIT)?_?TEST(?:S|ING)?|DEMO|EXAMPLES?|BENCH(?:MARKS?)?|FUZZ(?:ER|ING)?|STANDALONE)(?![a-z])|(?:^|_)MAIN_*$/i

/** A branch of `#if`: `isTest` if it is compiled only for tests, `isTestElse` if the branch after its `#else` is. */
type Branch = { readonly isTest: boolean; readonly isTestElse: boolean }

/** True when code after this text of C is compiled only for tests, as after `#ifdef LIST_TEST` or `#if 0`. */
function isTestOnly(text: string): boolean {
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
