import { existsSync } from "node:fs"
import type { GrepRequest } from "../../../app/search/grep-project.ts"
import { AmanError } from "../../../base/errors.ts"
import type { Flag, Input } from "../../command.ts"
import { listFlag, numberFlag } from "../../flags/flags.ts"

const MAX_LINES = 1_000_000

/** Flags of `aman grep`: those of ripgrep with the same meaning. */
export const GREP_FLAGS: readonly Flag[] = [
  {
    name: "regexp",
    short: "e",
    value: "PATTERN",
    multiple: true,
    takesDash: true,
    help: "A pattern; a line matches if any of them does",
  },
  { name: "ignore-case", short: "i", help: "Ignore case" },
  { name: "smart-case", short: "S", help: "Ignore case unless a pattern has a capital" },
  { name: "case-sensitive", short: "s", help: "Match upper and lower case exactly (default)" },
  { name: "fixed-strings", short: "F", help: "Treat PATTERN as plain text, not as a regular expression" },
  { name: "word-regexp", short: "w", help: "Match whole words only" },
  { name: "line-regexp", short: "x", help: "Match whole lines only" },
  { name: "invert-match", short: "v", help: "Print the lines that do not match" },
  { name: "files-with-matches", short: "l", help: "Print only the paths of files with a match" },
  { name: "files-without-match", help: "Print only the paths of files without a match" },
  { name: "count", short: "c", help: "Print only the number of matching lines of each file" },
  { name: "only-matching", short: "o", help: "Print only the matching parts, one per line" },
  {
    name: "replace",
    short: "r",
    value: "TEXT",
    takesDash: true,
    // `grep -rn` is typed out of habit, and would print "n" for each match.
    notJoined: /^[nilwcoxvsHIERS]+$/,
    help: "Print TEXT instead of each match; $1 or ${name} is a group, $0 the match (files are not changed). As in grep, -rn is -n",
  },
  { name: "max-count", short: "m", value: "N", help: "At most N matching lines of each file" },
  { name: "after-context", short: "A", value: "N", help: "Show N lines after each match" },
  { name: "before-context", short: "B", value: "N", help: "Show N lines before each match" },
  { name: "context", short: "C", value: "N", help: "Show N lines before and after each match" },
  { name: "line-number", short: "n", help: "Show line numbers (default, except for stdin)" },
  { name: "without-numbers", short: "N", help: "Hide line numbers" },
  { name: "with-filename", short: "H", help: "Show the path even if only one file is searched" },
  { name: "no-filename", short: "I", help: "Hide the path" },
  { name: "no-heading", help: "Show the path before each line, on a terminal too" },
  { name: "hidden", help: "Search hidden files (always done)" },
  { name: "recursive", short: "R", help: "Search folders (always done)" },
  { name: "extended-regexp", short: "E", help: "Patterns are extended regular expressions (always so)" },
  {
    name: "glob",
    short: "g",
    value: "GLOB",
    multiple: true,
    help: "Only files that match GLOB; !GLOB excludes them",
  },
  { name: "lang", short: "t", value: "LANGUAGE", multiple: true, help: "Only files in this language" },
  { name: "type", value: "LANGUAGE", multiple: true, help: "The same as --lang" },
]

const LINE_BY_LINE = "matching is line by line; search for one of the lines, with -C for those around it"
const NO_TIME_BOUND = "lookaround and backreferences have no time bound; patterns are RE2 syntax"
const IGNORED = "to search ignored files, give their path"
const FOLLOW = "links are not followed, because they may lead out of the project; give the path they lead to"
const TEXT = "binary files are not searched"
const ZIP = "compressed files are not searched"
const SORTED = "the output is always sorted by path"
const NO_PROGRAM = "no other program is run"
const NOT_TYPE = "exclude by ending: -g '!*.EXT'"

/** Flags that ripgrep has and `aman grep` does not. */
export const GREP_REFUSALS: Readonly<Record<string, string>> = {
  "-U": LINE_BY_LINE,
  "--multiline": LINE_BY_LINE,
  "--multiline-dotall": LINE_BY_LINE,
  "-P": NO_TIME_BOUND,
  "--pcre2": NO_TIME_BOUND,
  "--engine": NO_TIME_BOUND,
  "-u": IGNORED,
  "--unrestricted": IGNORED,
  "--no-ignore": IGNORED,
  "-L": FOLLOW,
  "--follow": FOLLOW,
  "-a": TEXT,
  "--text": TEXT,
  "--binary": TEXT,
  "-z": ZIP,
  "--search-zip": ZIP,
  "--pre": NO_PROGRAM,
  "-f": "give each pattern with -e",
  "--file": "give each pattern with -e",
  "-T": NOT_TYPE,
  "--type-not": NOT_TYPE,
  "--sort": SORTED,
  "--sortr": SORTED,
  "--files": "list indexed files with: aman map, or files that are not: aman status --skipped",
  "--color": "colours follow the terminal; NO_COLOR=1 or FORCE_COLOR=1 decides",
  "--column": "with --json each match has its place in the line",
  "--vimgrep": "with --json each match has its place in the line",
  "--encoding": "files are decoded as UTF-8, UTF-16 or Latin-1 by their bytes",
  "-d": "narrow by path or with -g",
  "--max-depth": "narrow by path or with -g",
  "--max-filesize": "narrow by path or with -g",
  "--stats": "with --json the answer says how many files were searched and left out",
  "-j": "one thread reads the files; searches of a server run in several",
  "--threads": "one thread reads the files; searches of a server run in several",
}

/** The patterns and the paths that were typed. */
export function patternsAndPaths({ flags, words }: Input): { patterns: string[]; paths: readonly string[] } {
  const patterns = [...flags.all("regexp")]
  if (patterns.length > 0) return { patterns, paths: words }
  const [pattern, ...paths] = words
  const replacement = flags.text("replace")
  // `grep -r PATTERN PATH` is typed out of habit, and would replace each match of the path.
  if (pattern !== undefined && paths.length === 0 && replacement !== undefined && existsSync(pattern)) {
    const without = `aman grep ${JSON.stringify(replacement)} ${pattern}`
    throw new AmanError(
      "USAGE",
      `-r replaces each match of "${pattern}" by "${replacement}", as in ripgrep`,
      {
        hint: `folders are always searched: ${without}; or give the pattern with -e`,
      },
    )
  }
  if (pattern !== undefined) return { patterns: [pattern], paths }
  throw new AmanError("USAGE", "no search query given", { hint: "for example: aman grep 'func \\w+Handler'" })
}

export function grepRequest(
  { flags, output }: Input,
  patterns: readonly string[],
  paths: readonly string[],
): GrepRequest {
  const context = numberFlag(flags, "context", 0, MAX_LINES) ?? 0
  const isOfFiles = ["files-with-matches", "files-without-match", "quiet"].some((name) => flags.has(name))
  const isBare = isOfFiles || flags.has("count")
  const replacement = flags.text("replace")
  return {
    ...joinPatterns(patterns, flags.has("fixed-strings"), flags.has("line-regexp")),
    ignoreCase: isCaseIgnored(flags, patterns),
    wholeWord: flags.has("word-regexp"),
    invert: flags.has("invert-match"),
    paths,
    globs: flags.all("glob"),
    languages: [...listFlag(flags, "lang"), ...listFlag(flags, "type")],
    before: isBare ? 0 : (numberFlag(flags, "before-context", 0, MAX_LINES) ?? context),
    after: isBare ? 0 : (numberFlag(flags, "after-context", 0, MAX_LINES) ?? context),
    maxCount: isOfFiles ? 1 : (numberFlag(flags, "max-count", 1, MAX_LINES) ?? MAX_LINES),
    withSpans:
      output.colors.isColorSupported ||
      replacement !== undefined ||
      flags.has("only-matching") ||
      flags.has("json"),
    replacement,
    withoutMatch: flags.has("files-without-match"),
    timeoutMs: Number.POSITIVE_INFINITY,
  }
}

/** One pattern that matches wherever any of the given patterns does. */
function joinPatterns(
  patterns: readonly string[],
  isFixed: boolean,
  isWholeLine: boolean,
): Pick<GrepRequest, "pattern" | "mode"> {
  if (patterns.length === 1 && !isWholeLine) {
    return { pattern: patterns[0]!, mode: isFixed ? "exact" : "regex" }
  }
  const bodies = isFixed ? patterns.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")) : patterns
  const any = bodies.length === 1 ? bodies[0]! : bodies.map((body) => `(?:${body})`).join("|")
  return { pattern: isWholeLine ? `^(?:${any})$` : any, mode: "regex" }
}

function isCaseIgnored(flags: Input["flags"], patterns: readonly string[]): boolean {
  if (flags.has("ignore-case")) return true
  if (!flags.has("smart-case") || flags.has("case-sensitive")) return false
  // Letters of escapes such as \W and \p{Lu} are removed first, because they are not capital letters to search
  // for.
  return patterns.every((pattern) => !/\p{Lu}/u.test(pattern.replace(/\\[pP](?:\{[^}]*\}|.)|\\./gu, "")))
}
