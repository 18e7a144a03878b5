/**
 * Code inside documents: the code blocks of Razor pages, the chunks of R Markdown, the exports of MDX. The code of each
 * language is parsed as one text, in which blanks stand for the rest of the document, so that offsets stay the same.
 */
import type { Definition } from "../definitions.ts"
import { languageNamed, loadGrammar } from "../languages/languages.ts"
import { mergeSpans } from "../spans.ts"
import { type Captures, readCaptures } from "./captures.ts"
import { type NoTree, withSyntaxTree } from "./syntax-tree.ts"

/** How code is marked in one kind of document. */
type IslandKind = {
  /** Matches what opens an island. The group `language`, if there is one, names the language of the code. */
  readonly open: RegExp
  /** Matches what closes an island, from the end of the opening; absent: the brace that matches the opened one. */
  readonly close?: RegExp
  /** Language of the code; null for text in which nothing opens an island. */
  readonly language: string | null
  /** Text without which the grammar does not take the code. It is put into the document before the first island. */
  readonly before?: string
}

const FENCE = /^[ \t]*(?:`{3,}|~{3,})[ \t]*\r?$/gm
const CHUNKS: readonly IslandKind[] = [
  { open: /^[ \t]*(?:`{3,}|~{3,})[ \t]*\{[ \t]*(?<language>\w+)[^\n]*$/gm, close: FENCE, language: null },
]
const MEMBERS = { before: "class A {" }
const RAZOR: readonly IslandKind[] = [
  { open: /(?<![\w@])@(?:code|functions)\s*\{/g, language: "csharp", ...MEMBERS },
]
const PHP = { language: "php", before: "<?php" }
const PYTHON: IslandKind = { open: /<%!?(?=\s)/g, close: /%>/g, language: "python" }

/** The kinds of islands by the extension of the document. */
const KINDS: Readonly<Record<string, readonly IslandKind[]>> = {
  rmd: CHUNKS,
  qmd: CHUNKS,
  mdx: [
    { open: /^[ \t]*(?:`{3,}|~{3,}).*$/gm, close: FENCE, language: null },
    { open: /^(?=export\b)/gm, close: /\n[ \t]*\r?\n(?=[^\s)}\]])/g, language: "tsx" },
  ],
  razor: RAZOR,
  cshtml: RAZOR,
  "blade.php": [
    { open: /(?<![\w@])@php\b(?![ \t]*\()/g, close: /@endphp\b/g, ...PHP },
    { open: /<\?php\b/g, close: /\?>/g, ...PHP },
  ],
  jsp: [{ open: /<%!/g, close: /%>/g, language: "java", ...MEMBERS }],
  gsp: [{ open: /<%!/g, close: /%>/g, language: "groovy", ...MEMBERS }],
  mako: [PYTHON],
}

const NOTHING = new Uint32Array(0)

export type CodeCaptures = Pick<Captures, "definitions" | "comments" | "docs" | "imports">

export const NO_CODE: CodeCaptures = { definitions: [], comments: NOTHING, docs: NOTHING, imports: [] }

/** What the code inside a document contains. */
export async function readIslands(path: string, text: string, timeoutMs: number): Promise<CodeCaptures> {
  const kinds = KINDS[/\.(blade\.php|\w+)$/.exec(path.toLowerCase())?.[1] ?? ""]
  const found: CodeCaptures[] = []
  for (const [language, code] of kinds === undefined ? [] : islandsIn(kinds, text)) {
    const captures = await readCode(language, code, timeoutMs)
    if (!("reason" in captures)) found.push(captures)
  }
  if (found.length === 0) return NO_CODE
  return {
    definitions: found.flatMap(({ definitions }) => definitions.filter((each) => !isWrapper(each, text))),
    comments: mergeSpans(found.flatMap(({ comments }) => [...comments])),
    docs: mergeSpans(found.flatMap(({ docs }) => [...docs])),
    imports: found.flatMap(({ imports }) => imports),
  }
}

/** What a text in a language contains; nothing if there is no grammar for it. */
export async function readCode(
  language: string,
  text: string,
  timeoutMs: number,
): Promise<CodeCaptures | NoTree> {
  const known = languageNamed(language)
  const grammar = known && (await loadGrammar(known))
  if (!grammar) return NO_CODE
  return withSyntaxTree(grammar, text, timeoutMs, (root, isLate) => readCaptures(grammar.query, root, isLate))
}

/** True for the class that `before` opens and the document does not have. */
function isWrapper({ name, start }: Definition, text: string): boolean {
  return name === "A" && !text.startsWith("class A", start)
}

/** The text of each language in the document, as long as the document. In time linear in its length. */
function islandsIn(kinds: readonly IslandKind[], text: string): Map<string, string> {
  const spans = new Map<string, { readonly before: string; readonly code: number[] }>()
  for (const { start, end, language, kind } of eachIsland(kinds, text)) {
    if (language === null) continue
    if (!spans.has(language)) spans.set(language, { before: kind.before ?? "", code: [] })
    spans.get(language)!.code.push(start, end)
  }
  return new Map([...spans].map(([language, { before, code }]) => [language, only(code, before, text)]))
}

function* eachIsland(kinds: readonly IslandKind[], text: string) {
  let open = kinds.map((kind) => ({ kind, found: execAt(kind.open, text, 0) }))
  for (let at = 0; ; ) {
    open = open.map((each) =>
      each.found && each.found.index < at ? { ...each, found: execAt(each.kind.open, text, at) } : each,
    )
    const ahead = open.flatMap(({ kind, found }) => (found ? [{ kind, found }] : []))
    if (ahead.length === 0) return
    const { kind, found } = ahead.reduce((one, other) => (other.found.index < one.found.index ? other : one))
    const start = found.index + found[0].length
    const end = kind.close ? (execAt(kind.close, text, start)?.index ?? text.length) : blockEnd(text, start)
    yield { start, end, language: found.groups?.["language"]?.toLowerCase() ?? kind.language, kind }
    at = Math.max(end, start + 1)
  }
}

function execAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const BRACES = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}]/g

/** Offset of the brace that closes the block around `from`; the length of the text if none does. */
function blockEnd(text: string, from: number): number {
  let depth = 1
  BRACES.lastIndex = from
  for (let found = BRACES.exec(text); found !== null; found = BRACES.exec(text)) {
    if (found[0] === "{") depth++
    else if (found[0] === "}" && --depth === 0) return found.index
  }
  return text.length
}

/**
 * The text with blanks for all but the ranges of code. `before` is put on the last row above them that has room for it,
 * and the brace that it opens is closed after them.
 */
function only(code: readonly number[], before: string, text: string): string {
  const blank = (from: number, to: number) => text.slice(from, to).replace(/[^\r\n]/g, " ")
  const head = blank(0, code[0]!)
  const room = before === "" ? -1 : head.lastIndexOf(" ".repeat(before.length))
  const pieces = room < 0 ? [head] : [head.slice(0, room), before, head.slice(room + before.length)]
  for (let at = 0; at < code.length; at += 2) {
    pieces.push(text.slice(code[at]!, code[at + 1]!), blank(code[at + 1]!, code[at + 2] ?? text.length))
  }
  const tail = pieces.pop()!
  return pieces.join("") + (room >= 0 && before.endsWith("{") ? tail.replace(" ", "}") : tail)
}
