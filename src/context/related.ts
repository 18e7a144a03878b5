import { LRUCache } from "lru-cache"
import { shownHistoryOf } from "../index/index.ts"
import type { SymbolRow } from "../store/index.ts"
import {
  certaintyOf,
  FileTexts,
  isType,
  type OtherSide,
  pullRequestsIn,
  QUICK_BYTES,
  qualifiedName,
  Services,
  type SymbolGraph,
} from "../symbols/index.ts"
import { oneLine } from "../text/index.ts"
import { type Commit, findWorkTree, headCommit, recentSince } from "../tree/index.ts"
import type { ContextRequest, ContextSnippet } from "./bundle.ts"
import type { ScoredPiece } from "./pack.ts"
import { isFollowed, type SourceFile } from "./pieces.ts"
import { type Relations, relationsOf } from "./relations.ts"

/** Number of definitions whose callers, callees, tests and commits are reported. */
const MAX_FOLLOWED = 3

/** Lines about a definition, shown below the code of its file. */
export type RelatedSnippet = { readonly file: SourceFile; readonly snippet: ContextSnippet }

/**
 * Callees, callers, places that share a text such as a route, tests and latest commits of the likeliest definitions, in
 * this order. Each snippet is searched when it is asked for, because a small budget shows only the first ones.
 */
export async function* relatedSnippets(
  ordered: readonly ScoredPiece[],
  { related, tests }: ContextRequest,
): AsyncGenerator<RelatedSnippet, void> {
  const shared = new SharedTexts()
  for (const { file, symbol } of likeliest(ordered)) {
    const name = qualifiedName({ symbol })
    const lines = `${symbol.startLine}-${symbol.endLine}`
    const about = (why: string, relationLines: readonly string[]) =>
      relationLines.length === 0 ? [] : [{ file, snippet: { text: relationLines.join("\n"), lines, why } }]
    const relations = related || tests ? relationsOf(file, symbol) : null
    if (related && relations !== null) {
      yield* about(`what ${name} calls`, relations.callees())
      yield* about(`what ${isType(symbol) ? "uses" : "calls"} ${name}`, callersOf(relations, symbol.name))
      yield* about(`shares a text with ${name}`, shared.linesOf(file, symbol, relations))
    }
    if (tests && relations !== null) yield* about(`tests of ${name}`, relations.tests())
    if (related) yield* about("recent changes", await recentChanges(file, symbol))
  }
}

/** The definitions of the first pieces, each once, at most MAX_FOLLOWED. */
function likeliest(ordered: readonly ScoredPiece[]) {
  const followed = new Map<SymbolRow, SourceFile>()
  for (const { file, piece } of ordered)
    if (isFollowed(piece.symbol) && !followed.has(piece.symbol)) followed.set(piece.symbol, file)
  return [...followed].slice(0, MAX_FOLLOWED).map(([symbol, file]) => ({ file, symbol }))
}

/** The callers as lines; one line instead if too many files use the name, so that callers were not searched. */
function callersOf({ callers, users }: Relations, name: string): readonly string[] {
  return users === 0 ? callers() : [`${users} files use ${name}: see the symbol tool`]
}

const MAX_SIDES_OF_TEXT = 3
const SHARED_FILES = { forText: 12, inAll: 36 }

/** How a line uses a text, as a verb. */
const ROLE_VERBS = { declared: "declares", called: "calls", mentioned: "uses" } as const
const TOPIC_VERBS = { declared: "receives", called: "sends", mentioned: "uses" } as const

/** Finds the lines of other services that use the same routes, tables, topics or variables as a definition. */
class SharedTexts {
  readonly #edges = new Map<SymbolGraph, Services>()

  /** Lines with place, text and certainty; empty if the definition shares no text. */
  linesOf({ project, graph, path }: SourceFile, symbol: SymbolRow, { uses }: Relations): readonly string[] {
    const file = graph.file(path)
    if (file === null) return []
    const edges =
      this.#edges.get(graph) ??
      new Services(graph, new FileTexts(project, graph.store, QUICK_BYTES), SHARED_FILES)
    this.#edges.set(graph, edges)
    const lines = edges.textsOf({ symbol, file }, uses(), "all").flatMap((text) => {
      const { places, unread } = edges.otherSides(text, { symbol, file })
      const cut = places.length > MAX_SIDES_OF_TEXT || (places.length > 0 && unread > 0)
      return [
        ...places.slice(0, MAX_SIDES_OF_TEXT).map(sharedLine),
        ...(cut ? [`more: aman symbol ${JSON.stringify(text.text)} --references`] : []),
      ]
    })
    return lines.slice(0, 6)
  }
}

function sharedLine({ path, line, kind, role, literal, tie, text }: OtherSide): string {
  const verb = (kind === "topic" ? TOPIC_VERBS : ROLE_VERBS)[role]
  const shown = `${path}:${line} ${verb} the ${kind} ${literal} (${certaintyOf(tie)})`
  return oneLine(text === "" ? shown : `${shown}: ${text}`, 120)
}

const MAX_CHANGES = 3

/** Lines about the commits that changed a range of lines, by HEAD and range; the history of a commit is fixed. */
const changesOfLines = new LRUCache<string, Promise<readonly string[]>>({ max: 500 })

/** The latest commits that changed these lines, one per line of text; empty if git does not know. */
async function recentChanges(file: SourceFile, symbol: SymbolRow): Promise<readonly string[]> {
  const { root } = file.project
  const workTree = findWorkTree(root)
  const head = workTree && headCommit(workTree)
  const { range } = file.committed(symbol.startLine, symbol.endLine)
  if (head === null || range === null) return []
  const key = [root, head, file.path, ...range].join("\0")
  const changes = changesOfLines.get(key) ?? changesIn(root, head, file.path, range)
  changesOfLines.set(key, changes)
  return changes
}

async function changesIn(root: string, head: string, path: string, range: readonly [number, number]) {
  const since = await recentSince(root, head)
  if (since === undefined) return []
  const place = { path, startLine: range[0], endLine: range[1] }
  const commits = await shownHistoryOf(root, place, { head, since, limit: MAX_CHANGES })
  if (typeof commits === "string") return []
  // If the whole history was searched, the oldest commit found is the one that created the lines; it is not reported
  // as a change.
  const includesCreation = since === null && commits.length < MAX_CHANGES
  return commits.slice(0, includesCreation ? -1 : undefined).map(commitLine)
}

/** Date, id, author and subject of a commit, and the pull requests that its message names outside of the subject. */
function commitLine(commit: Commit): string {
  const line = oneLine(`${commit.date} ${commit.id.slice(0, 10)} ${commit.author}: ${commit.subject}`, 120)
  const others = pullRequestsIn(commit).filter((number) => !new RegExp(`${number}\\b`).test(line))
  return others.length === 0 ? line : `${line} (${others.slice(0, MAX_CHANGES).join(", ")})`
}
