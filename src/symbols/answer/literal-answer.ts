/*
 * Answers a question about a symbol by text, for names that code writes as strings: routes, environment variables,
 * tables. `withLiterals` asks the symbol graph first; if nothing has the name, or the definition is used by its text,
 * the indexed files are searched for lines with the text, which are sorted into definitions and uses.
 */

import { AmanError, compareTexts, plural } from "../../base/index.ts"
import { type Project, partialIndex } from "../../index/index.ts"
import type { Store } from "../../store/index.ts"
import { certaintyOf } from "../certainty.ts"
import { type Literal, literalOf } from "../literals.ts"
import { type OtherSide, Services } from "../services.ts"
import { FileTexts, graphIn, QUICK_BYTES } from "./answer-lines.ts"
import type { DefinitionAnswer, ReferenceAnswer, SymbolAnswer, SymbolRequest } from "./symbol-answer.ts"
import { below } from "./symbol-names.ts"

/** Maximum number of files read for the text and for each end of a route, and for all together. */
const FILES = { forText: 2_000, inAll: 3_000 }
const MAX_LINE_CHARS = 160

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
  store: Store | undefined,
  request: SymbolRequest,
  ask: () => Promise<LiteralAnswer>,
): Promise<LiteralAnswer> {
  const { relation, name = "", offset, site } = request
  const isPlain = site === undefined && (relation === "definition" || relation === "references")
  const literal = store === undefined || !isPlain ? null : literalOf(name)
  if (literal === null) return await ask()
  const find = () => literalAnswer(project, store!, literal, request)
  if (literal.isOnlyText) return find() ?? (await ask())
  const answer = await ask().catch((error: unknown) => {
    const byText = error instanceof AmanError && error.code === "NOT_FOUND" ? find() : null
    if (byText === null) throw error
    return byText
  })
  const isText = literal.isAlsoText || answer.definitions.some(({ language }) => TEXT_LANGUAGES.has(language))
  return isText && relation === "references" && answer.next_offset === null && offset === 0
    ? withLiteralPlaces(answer, find())
    : answer
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
function literalAnswer(
  project: Project,
  store: Store,
  literal: Literal,
  { name = "", relation, limit, offset, path }: SymbolRequest,
): LiteralAnswer | null {
  const graph = graphIn(project, store)
  const services = new Services(graph, new FileTexts(project, store, QUICK_BYTES), FILES)
  const found = services.placesOf(literal, name, path ?? "")
  const isRoute = literal.isOnlyText && name.includes("/")
  const mounted = isRoute
    ? services.mountedAt({ kind: "route", text: name.trim() })
    : { places: [], unread: 0 }
  const isWanted = below(path)
  const places = [...found.places, ...mounted.places].filter((place) => isWanted(place.path))
  if (places.length === 0) return null
  const ordered = places.sort((one, other) => other.tie - one.tie || byPlace(one, other))
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
    partial: partialIndex(store),
    notices: [
      "found by its text in the indexed files: a value that is put together at run time is not found, so there may be more",
      ...(declared.length === 0 ? ["no line was found that declares it"] : []),
      ...(relation === "definition" && used.length > 0
        ? [`${used.length} places use it; see its references`]
        : []),
      ...(found.unread === 0
        ? []
        : [`${plural(found.unread, "file")} with its words not read: aman grep finds the text there`]),
      ...(mounted.unread === 0
        ? []
        : [
            `${plural(mounted.unread, "file")} with a part of the route were not read for routers below a path`,
          ]),
    ],
  }
}

function definitionAt(name: string, { path, line, kind, language, text }: OtherSide): DefinitionAnswer {
  const signature = text === "" ? path : text.slice(0, MAX_LINE_CHARS)
  return { name, kind, path, start_line: line, end_line: line, signature, doc: null, language, centrality: 0 }
}

function referenceAt({ path, line, role, tie, text }: OtherSide): ReferenceAnswer {
  const kind = role === "called" ? "call" : "mention"
  return {
    path,
    line,
    kind,
    within: null,
    certainty: certaintyOf(tie),
    text: text.slice(0, MAX_LINE_CHARS),
  }
}

function byPlace(one: OtherSide, other: OtherSide): number {
  return compareTexts(one.path, other.path) || one.line - other.line
}
