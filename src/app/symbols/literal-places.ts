/*
 * Answers a question about a symbol by text, for names that code writes as strings: routes, environment variables,
 * tables. `withLiterals` asks the symbol graph first; if nothing has the name, or the definition is used by its text,
 * the lines with the text are searched and sorted into definitions and uses.
 */

import { compareTexts } from "../../base/compare-texts.ts"
import { AmanError } from "../../base/errors.ts"
import { plural } from "../../base/plural.ts"
import { displayText } from "../../code/readable-text.ts"
import type { IndexReader } from "../../search/reader.ts"
import type { Store } from "../../store/index/store.ts"
import { type Literal, type LiteralUse, literalOf } from "../../symbols/literals.ts"
import { partialIndex } from "../project/notices.ts"
import type { Project } from "../project/open-project.ts"
import type { GrepFiles } from "../search/grep-files.ts"
import { grepProject } from "../search/grep-project.ts"
import { graphIn } from "./answer-lines.ts"
import { filesWithLiteral } from "./literal-files.ts"
import { ServiceEdges } from "./routes/service-edges.ts"
import type { DefinitionAnswer, ReferenceAnswer, SymbolAnswer, SymbolRequest } from "./symbol-answer.ts"
import { below } from "./symbol-names.ts"

/** Time limit of the search. Names that are only misspelt are searched as well. */
const TIMEOUT_MS = 2_000
/** Longer lines are generated. */
const MAX_READ_CHARS = 2_000

const MAX_LINES_PER_FILE = 200
/** Maximum number of files read for one end of a route, and for all ends. */
const MOUNTED_FILES = { forText: 100, inAll: 300 }
const MAX_PLACES = 2_000
const MAX_LINE_CHARS = 160

type LiteralPlace = LiteralUse & {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly language: string
}

/** Languages whose definitions other languages use by their text. */
const TEXT_LANGUAGES: ReadonlySet<string> = new Set(["sql", "proto"])

type LiteralAnswer = Omit<SymbolAnswer, "took_ms">

/**
 * The answer of `ask` about a symbol. If no symbol has the name and it may be a text that services share, such as a
 * route, an environment variable or a table, the answer is about that text: the lines that declare it are its
 * definitions.
 */
export async function withLiterals(
  project: Project,
  reader: IndexReader | null,
  request: SymbolRequest,
  signal: AbortSignal | undefined,
  ask: () => Promise<LiteralAnswer>,
): Promise<LiteralAnswer> {
  const literal = reader === null || !isPlain(request) ? null : literalOf(request.name ?? "")
  if (literal === null) return await ask()
  const find = () => literalAnswer(project, reader!, literal, request, signal)
  if (literal.isOnlyText) return (await find()) ?? (await ask())
  const answer = await ask().catch(async (error: unknown) => {
    const byText = isNotDefined(error) ? await find() : null
    if (byText === null) throw error
    return byText
  })
  const isText = literal.isAlsoText || answer.definitions.some(({ language }) => TEXT_LANGUAGES.has(language))
  return isText && request.relation === "references" && answer.next_offset === null && request.offset === 0
    ? withLiteralPlaces(answer, await find())
    : answer
}

function isPlain({ relation }: SymbolRequest): boolean {
  return relation === "definition" || relation === "references"
}

/** Adds the places that only the text search found. */
function withLiteralPlaces(answer: LiteralAnswer, byText: LiteralAnswer | null): LiteralAnswer {
  const placeOf = ({ path, line }: { path: string; line: number }) => `${path}:${line}`
  const listed = new Set([
    ...answer.references.map(placeOf),
    ...answer.definitions.map(({ path, start_line: line }) => placeOf({ path, line })),
  ])
  const more = byText?.references.filter((each) => !listed.has(placeOf(each))) ?? []
  if (byText === null || more.length === 0) return answer
  return {
    ...answer,
    references: [...answer.references, ...more],
    total: answer.total + more.length,
    notices: [...answer.notices, ...byText.notices],
  }
}

/** The lines that declare and use a text; null if no line uses it in a recognized way. */
async function literalAnswer(
  project: Project,
  reader: IndexReader,
  literal: Literal,
  request: SymbolRequest,
  signal: AbortSignal | undefined,
): Promise<LiteralAnswer | null> {
  const { name = "", relation, limit, offset } = request
  const {
    places: exact,
    isWhole,
    secrets,
  } = await findLiteralPlaces(project, reader, literal, request, signal)
  const mounted = mountedPlaces(project, reader.store, literal, request)
  const places = [...exact, ...mounted.places]
  if (places.length === 0) return null
  const ordered = places.sort((one, other) => other.confidence - one.confidence || byPlace(one, other))
  const declared = ordered.filter(({ role }) => role === "declared")
  const used = ordered.filter(({ role }) => role !== "declared")
  const listed = relation === "references" ? used : []
  return {
    name,
    relation,
    definitions: declared.slice(0, limit).map((place) => definitionAt(name, place)),
    references: listed.slice(offset, offset + limit).map(referenceAt),
    ...{ related: [], outline: [], tests: [], files: [] },
    total: listed.length,
    unseen_files: 0,
    next_offset: offset + limit < listed.length ? offset + limit : null,
    unresolved: { total: 0, places: [] },
    other_uses: 0,
    partial: partialIndex(reader.store),
    notices: [
      "found by its text: a value that is put together at run time is not found, so there may be more",
      ...(declared.length === 0 ? ["no line was found that declares it"] : []),
      ...(relation === "definition" && used.length > 0
        ? [`${used.length} places use it; see its references`]
        : []),
      ...(mounted.unread === 0
        ? []
        : [
            `${plural(mounted.unread, "file")} with a part of the route were not read for routers below a path`,
          ]),
      ...(secrets === 0 ? [] : [`files that may hold keys or passwords were not searched: ${secrets}`]),
      ...(isWhole ? [] : [`partial: the search stopped after ${TIMEOUT_MS / 1000} s`]),
    ],
  }
}

/** The lines that declare the end of a route on a router that is put below its start. */
function mountedPlaces(
  project: Project,
  store: Store,
  { isOnlyText }: Literal,
  { name = "", path }: SymbolRequest,
): { readonly places: readonly LiteralPlace[]; readonly unread: number } {
  if (!isOnlyText || !name.includes("/")) return { places: [], unread: 0 }
  const services = new ServiceEdges(project, graphIn(project, store), MOUNTED_FILES)
  const isWanted = below(path)
  const { places, unread } = services.mountedAt({ kind: "route", text: name.trim() })
  return { places: places.filter((place) => isWanted(place.path)), unread }
}

async function findLiteralPlaces(
  project: Project,
  reader: IndexReader,
  literal: Literal,
  { path }: SymbolRequest,
  signal: AbortSignal | undefined,
): Promise<{ readonly places: LiteralPlace[]; readonly isWhole: boolean; readonly secrets: number }> {
  const isWanted = below(path)
  const places: LiteralPlace[] = []
  const { isDeclaredBy } = literal
  if (isDeclaredBy !== null)
    for (const { path: file, language } of reader.store.files.amounts())
      if (isDeclaredBy(file) && isWanted(file)) places.push(declaredByPath(file, language))
  const files = filesWithLiteral(project, reader, literal, isWanted)
  const { isWhole, secrets } = await search(project, literal, { files, signal }, (file, lines) => {
    if (!isWanted(file.path)) return
    for (const { line, text } of lines) {
      const isRead = places.length < MAX_PLACES && text.length <= MAX_READ_CHARS
      const use = isRead ? literal.useIn(text, file.path) : null
      if (use !== null) places.push({ ...use, ...file, line, text })
    }
  })
  return { places, secrets, isWhole: isWhole && places.length < MAX_PLACES }
}

function declaredByPath(path: string, language: string): LiteralPlace {
  return { path, line: 1, text: path, language, kind: "route", role: "declared", confidence: 0.9 }
}

type File = { readonly path: string; readonly language: string }

async function search(
  project: Project,
  { pattern }: Literal,
  { files, signal }: { readonly files: GrepFiles | null; readonly signal: AbortSignal | undefined },
  take: (file: File, lines: readonly { readonly line: number; readonly text: string }[]) => void,
): Promise<{ readonly isWhole: boolean; readonly secrets: number }> {
  // Compiling the pattern takes longer than the rest of the answer.
  if (files?.paths.length === 0) return { isWhole: true, secrets: files.leftOut["secret"] ?? 0 }
  const matches = grepProject(
    project,
    {
      ...{ pattern, files, mode: "regex" as const, ignoreCase: false, wholeWord: false },
      ...{ paths: [], globs: [], languages: [], invert: false, before: 0, after: 0 },
      ...{ maxCount: MAX_LINES_PER_FILE, withSpans: false, timeoutMs: TIMEOUT_MS },
    },
    signal,
  )
  for (;;) {
    const next = await matches.next()
    if (next.done) return { isWhole: next.value.complete, secrets: next.value.left_out["secret"] ?? 0 }
    const { path, language, lines } = next.value
    take({ path, language }, lines())
  }
}

function definitionAt(name: string, { path, line, kind, language, text }: LiteralPlace): DefinitionAnswer {
  const signature = displayText(text.trim().slice(0, MAX_LINE_CHARS))
  return { name, kind, path, start_line: line, end_line: line, signature, doc: null, language, centrality: 0 }
}

function referenceAt({ path, line, role, confidence, text }: LiteralPlace): ReferenceAnswer {
  const shown = displayText(text.trim().slice(0, MAX_LINE_CHARS))
  return { path, line, kind: role === "called" ? "call" : "mention", within: null, confidence, text: shown }
}

function byPlace(one: LiteralPlace, other: LiteralPlace): number {
  return compareTexts(one.path, other.path) || one.line - other.line
}

/** True for the error that no symbol has the name. */
function isNotDefined(error: unknown): boolean {
  return error instanceof AmanError && error.code === "NOT_FOUND"
}
