/*
 * The verbs about code: what each takes, for every door. A new argument is one field here and its use in the request
 * below; flags, help, manual, completions, the schemas of the MCP tools and the parameters of the page's requests follow.
 */

import type { SearchMode, SearchRequest } from "../../base/index.ts"
import { CONTEXT_LIMITS, type ContextRequest } from "../../context/index.ts"
import { SYMBOL_KINDS } from "../../parse/index.ts"
import { RELATIONS, type SymbolRequest } from "../../symbols/index.ts"
import { type ArgumentsOf, choice, custom, list, names, required, text, toggle, whole } from "./fields.ts"

/** Max characters of a query or a task. Only the beginning is used for ranking; nobody has to send whole files. */
const MAX_QUERY = 200_000
const MAX_PATH = 4096

/** Guessed names beside a question. */
const NAMES = names({
  items: { type: "string" },
  shows: "list",
  text: 'Words and identifiers the code may use, guessed, e.g. ["bounce", "blocklist", "suppressEmail"]',
  flag: "--names NAMES...",
  help: "Words and identifiers that the code may use, as good as you can guess; wrong ones cost little",
})

const PATH = {
  flag: "--path PATH...",
  help: "Only in this folder or matching this glob, relative to the working directory or else the root; !PATH excludes",
} as const

/** Other repositories in place of the project, and for people the team's; models write "team:NAME" as the repository. */
function repositories(meaning: string, help: string, teamHelp = help.replace("other", "the team's")) {
  const options = { text: meaning, flag: "-r, --repository NAME", help: `${help} (see aman repos)` }
  return {
    repository: {
      ...text(1000, options),
      read: (value: unknown) => (value as string | undefined)?.trim(),
    },
    team: text(1000, { flag: "--team NAME", help: `${teamHelp} (see aman team)` }),
  }
}

export const RANKED_MODES = ["hybrid", "keyword", "semantic"] as const satisfies readonly SearchMode[]

export const SEARCH = {
  query: text(MAX_QUERY, {
    text: "A question in plain words, an identifier or an error message",
    flag: "QUERY",
  }),
  names: NAMES,
  queries: list({
    ...{ items: { type: "string", maxLength: MAX_QUERY }, maxItems: 10, shows: "lists" },
    text: "Several queries instead, each answered separately",
    flag: "-e, --query QUERY...",
    help: "A query; may be repeated, each is answered separately",
    person: { maxItems: 1000 },
  }),
  like: text(10_000, {
    text: "Find code similar to path:line, e.g. src/app.ts:120; query is then optional",
    flag: "--like PATH:LINE",
    help: "Find code similar to this line; QUERY is then optional",
  }),
  limit: whole([1, 50], {
    text: "At most this many files (default 10)",
    flag: "-n, --limit N",
    help: "At most this many files (default: 5; with --full, --json or --explain: the setting search.limit, 10)",
    person: { maximum: 1000 },
  }),
  offset: whole([0, 10_000], {
    text: "next_offset of the previous answer",
    flag: "--offset N",
    help: "Skip the first N files",
  }),
  path: names({ ...PATH, text: "Only this folder or glob, e.g. src/auth or **/*.test.ts" }),
  language: names({
    text: "Only this language, e.g. go",
    flag: "--lang LANGUAGE...",
    help: "Only files in this language",
    hasCommas: true,
  }),
  extension: names({
    text: "Only files with this extension, e.g. go, d.ts; several: any of them",
    flag: "--ext EXTENSION...",
    help: "Only files with this extension",
    hasCommas: true,
  }),
  ...repositories(
    'Search other repositories whose name contains this, "*" for all (default: this project); `repositories` lists them',
    "Search other repositories whose name contains NAME, or '*' for all",
  ),
  rank_all: toggle({
    flag: "--rank-all",
    help: "Rank every repository in full, not only the 50 with the best estimates",
  }),
  kind: names({
    ...{ items: { type: "string", enum: SYMBOL_KINDS }, maxItems: SYMBOL_KINDS.length },
    text: "Only places that define this kind; several: any of them",
    flag: "--kind KIND...",
    help: "Only chunks that define a function, class, type, …",
    hasCommas: true,
  }),
  content: choice(["all", "code", "docs"], {
    text: "Code, documentation, or both",
    flag: "--content WHAT",
    help: "code, docs or all (default: all)",
    usual: "all",
  }),
  mode: choice([...RANKED_MODES, "exact", "regex"], {
    text: "hybrid: words and meaning; exact or regex (RE2): every line that matches the query, as grep does",
    flag: "--mode MODE",
    help: "hybrid, keyword or semantic (default: hybrid); exact or regex: every line that matches, as aman grep does",
    usual: "hybrid",
  }),
  context: whole([0, 20], {
    text: "With mode exact or regex: lines of context around each match",
    usual: 0,
  }),
  ignore_case: toggle({ text: "With mode exact or regex: ignore case", usual: false }),
  whole_word: toggle({ text: "With mode exact or regex: match whole words only", usual: false }),
  explain: toggle({
    text: "Also show how each score was computed",
    flag: "--explain",
    help: "Show how each score was computed",
    usual: false,
  }),
  max_tokens: whole([500, 20_000], {
    text: "Use about N tokens for the answer (default 1500; several queries, exact and regex 6000)",
    flag: "--max-tokens N",
    help: "Use about N tokens for the text of the results",
    person: { minimum: 1, maximum: 1_000_000 },
  }),
  wait: toggle({
    text: "While the first index is built, wait for it, at most 60 s, instead of a search for words",
    flag: "--wait",
    help: "Wait for the first index, which is otherwise built in the background if it takes seconds",
    usual: false,
  }),
  why_not: text(MAX_PATH, {
    text: "Say why this file is not higher in the results",
    flag: "--why-not PATH",
    help: "Say why this file is not, or not higher, in the results",
  }),
}

type SearchArguments = ArgumentsOf<typeof SEARCH>

/** The request of a search, without its query. */
export function searchRequest(
  asked: Omit<SearchArguments, "repository" | "team" | "queries" | "max_tokens" | "why_not">,
): Omit<SearchRequest, "query"> {
  const { names, like, limit, offset, content, explain, path, language, kind, extension } = asked
  return {
    ...{ names, like, limit, offset, content, explain, mode: asked.mode as SearchMode },
    ...{ paths: path, languages: language, kinds: kind, extensions: extension },
    rankAll: asked.rank_all,
  }
}

/** How the modes exact and regex search, and in which files. */
export function textSearch(asked: SearchArguments) {
  const { path: paths, language: languages, extension: extensions, context } = asked
  return { ignoreCase: asked.ignore_case, wholeWord: asked.whole_word, context, paths, languages, extensions }
}

const { tokens, files } = CONTEXT_LIMITS

export const CONTEXT = {
  query: text(MAX_QUERY, {
    text: "The task in plain words, or an issue as it is; empty: an overview",
    flag: "TASK",
    usual: "",
  }),
  names: NAMES,
  max_tokens: whole([tokens.min, tokens.max], {
    text: `Tokens to fill (default ${tokens.usual}, fewer in small projects)`,
    flag: "--max-tokens N",
    help: `Fill at most N tokens, ${tokens.min} to ${tokens.max} (default: ${tokens.usual}, fewer in small projects)`,
  }),
  max_files: whole([1, files.max], {
    text: "At most this many files (default: as many as fit)",
    flag: "--max-files N",
    help: `At most N files, up to ${files.max} (default: as many as fit)`,
  }),
  path: names({ ...PATH, text: "Only this folder or glob, e.g. src/auth" }),
  ...repositories(
    'Use other repositories whose name contains this, "*" for all (default: this project)',
    "Use other repositories whose name contains NAME, or '*' for all",
  ),
  include_related: toggle({
    text: "Callers, callees and latest commits",
    flag: "--no-related",
    help: "Leave out callers, callees and commits",
    usual: true,
  }),
  include_tests: toggle({
    text: "Tests that cover it",
    flag: "--no-tests",
    help: "Leave out tests",
    usual: true,
  }),
  include_memories: toggle({
    text: "Related memories",
    flag: "--no-memories",
    help: "Leave out memories",
    usual: true,
  }),
}

export function contextRequest(asked: ArgumentsOf<typeof CONTEXT>): ContextRequest {
  return {
    ...{ query: asked.query, names: asked.names, paths: asked.path },
    ...{ maxTokens: asked.max_tokens ?? tokens.usual, endsEarly: asked.max_tokens === undefined },
    ...{ maxFiles: asked.max_files, related: asked.include_related, tests: asked.include_tests },
    memories: asked.include_memories,
  }
}

const MAX_DEPTH = 5

export const SYMBOL = {
  name: text(1000, {
    text: "A name, Owner.name, path:line, path#Owner.name or, for a use, path:line#name",
    flag: "NAME",
  }),
  /** On the command line each relation is a flag. */
  relation: choice(RELATIONS, {
    text: "Places in this relation to it",
    flag: "RELATION",
    usual: "definition",
  }),
  ...repositories(
    "Other repositories, as search names them (default: this project)",
    "Ask other repositories, or '*' for all",
  ),
  path: text(MAX_PATH, {
    text: "Only definitions in this file or folder; path:line: what the name means there; for outline: the file",
    flag: "--path PATH",
    help: "Only definitions in this file, folder or glob, relative to the working directory or else the root; FILE:LINE: what NAME means there",
  }),
  depth: whole([1, MAX_DEPTH], {
    text: "Steps along callers or callees",
    flag: "--depth N",
    help: `Number of call steps, up to ${MAX_DEPTH} (default: 1)`,
    usual: 1,
  }),
  diff: text(1000, {
    text: "With impact: what differs from this git revision (HEAD: uncommitted changes), or a range a..b",
    flag: "REVISION",
  }),
  all: toggle({
    text: "With unused: also symbols that a framework, a test or another project may call",
    flag: "--all",
    help: "With --unused: also symbols that a framework, a test or another project may call",
    usual: false,
  }),
  exact: toggle({
    text: "With references: also ask a language server, if the user's settings allow it",
    flag: "--exact",
    help: "With --references: also ask a language server that is configured or on PATH",
    usual: false,
  }),
  limit: whole([1, 500], {
    text: "At most this many places",
    flag: "-n, --limit N",
    help: "At most N places (default: 50)",
    person: { maximum: 10_000 },
    usual: 50,
  }),
  offset: whole([0, 100_000], {
    text: "Skip this many: the previous next_offset",
    flag: "--offset N",
    help: "Skip the first N places",
    person: { maximum: 1_000_000 },
    usual: 0,
  }),
}

export function symbolRequest(asked: ArgumentsOf<typeof SYMBOL>): SymbolRequest {
  const { repository: _, team: __, ...request } = asked
  return asked.diff === undefined ? request : { ...request, relation: "impact" }
}

export const READ = {
  path: required(text(MAX_PATH, { text: "As in search results", flag: "PATH" })),
  ...repositories(
    "Another repository, as search names it (default: this project)",
    "Read from another repository",
    "Read from a repository of the team",
  ),
  start_line: whole([1], { text: "First line, from 1", flag: "START" }),
  end_line: whole([1], { text: "Last line, inclusive", flag: "END" }),
  start_column: whole([1], {
    text: "First character of the first line, from 1, to go on in a long line",
    flag: "--column N",
    help: "Begin at this character of the first line, from 1",
  }),
  max_tokens: whole([500, 20_000], {
    text: "Cut the text at about this many tokens",
    flag: "--max-tokens N",
    help: "Cut the text at about N tokens, and say how to continue",
    person: { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: Number.MAX_SAFE_INTEGER },
    usual: 8000,
  }),
}

export const LOG = {
  what: required(
    text(MAX_PATH, {
      text: "A path relative to the root, path:10-40, path#symbol, or a symbol",
      flag: "WHAT",
    }),
  ),
  limit: whole([1, 100], {
    text: "At most this many commits",
    flag: "-n, --limit N",
    help: "At most N commits (default: 10)",
    person: { maximum: 1000 },
    usual: 10,
  }),
  repository: text(1000, { text: "Name of the folder, if several are served" }),
}

export const MAP = {
  max_tokens: whole([200, 100_000], {
    flag: "--max-tokens N",
    help: "At most N tokens, 200 to 100000 (default: 2000); --json is not limited",
    usual: 2000,
  }),
}

export const STATUS = {
  skipped: custom<boolean | string>(
    { anyOf: [{ type: "boolean" }, { type: "string", maxLength: 200 }] },
    { text: "true: list the files that are not indexed, with the reason; a reason: only those" },
  ),
}
