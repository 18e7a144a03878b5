import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { loadScipFormat } from "../../../../../src/symbols/index.ts"
import type { Definition, Fact } from "../facts.ts"

const DEFINITION = 1

type Occurrence = {
  readonly symbol: string
  readonly roles: number
  readonly line: number
  readonly start: number
  readonly end: number | null
}

type Source = {
  readonly path: string
  /** Lines of the file, with spaces for comments, texts and characters. */
  readonly lines: readonly string[]
  readonly occurrences: readonly Occurrence[]
}

/** The facts of a Rust project, from the index that `rust-analyzer scip` writes. */
export async function* rustFacts(root: string, index: Uint8Array): AsyncGenerator<Fact> {
  const { nameOfSymbol, readScip } = await loadScipFormat()
  const sources = [...readScip(index).documents()]
    .filter(({ path }) => existsSync(join(root, path)))
    .map(({ path, occurrences }): Source => {
      const text = readFileSync(join(root, path), "utf8")
      return { path, occurrences, lines: masked(text).split("\n") }
    })
  const unclear = ambiguous(sources)
  const ids = new Map<string, number>()
  const own: (Definition & { readonly symbol: string })[] = []
  let count = 0
  for (const { path, lines, occurrences } of sources) {
    yield { file: path }
    const at = new Map<string, number>()
    for (const { symbol, roles, line, start, end } of occurrences) {
      const name = nameOfSymbol(symbol)
      if ((roles & DEFINITION) === 0 || name === null || symbol.endsWith("/") || MADE.test(symbol)) continue
      if (end === null || lines[line]!.slice(start, end) !== name) continue
      // A macro may make several types of one.
      const place = `${line}:${start}`
      const same = at.get(place)
      if (same !== undefined) ids.set(symbol, same)
      if (same !== undefined || (ids.has(symbol) && !unclear.has(symbol))) continue
      const def = count++
      at.set(place, def)
      ids.set(symbol, def)
      const kind = kindOf(symbol, lines[line]!.slice(0, start))
      const to = endOf(lines, line, end, kind === "field")
      const definition = {
        ...{ def, path, line: line + 1, from: line + 1, to },
        kind: unclear.has(symbol) ? ("local" as const) : kind,
        ...{ name, owner: ownerOf(symbol) },
      }
      own.push({ ...definition, symbol })
      yield definition
    }
  }
  for (const { path, lines, occurrences } of sources) {
    for (const { symbol, roles, line, start, end } of occurrences) {
      const use = end === null ? "" : lines[line]!.slice(start, end)
      if ((roles & DEFINITION) !== 0 || !/^\w+$/.test(use)) continue
      const id = ids.get(symbol)
      const isCall = /^(?:::<[^()]*>)?\s*!?\s*[({[]/.test(lines[line]!.slice(end!)) && /\)\.$|!$/.test(symbol)
      yield {
        ...{ use, path, line: line + 1, col: start + 1 },
        ...(!unclear.has(symbol) && { defs: id === undefined ? [] : [id] }),
        ...(isCall && { call: true }),
      }
    }
  }
  for (const source of sources) yield* unknownIn(source)
  yield* implemented(sources, own, ids, count)
}

/** A type that a macro makes for itself, such as `__Origin` of `pin_project!`: no code names it. */
const MADE = /(?:^|[/ ])__\w+#/

/**
 * Symbols that several places define: programs of a package, tests, or items inside of functions may get the same one,
 * and two of a macro may come from one place.
 */
function ambiguous(sources: readonly Source[]): Set<string> {
  const places = new Map<string, string>()
  const found = new Set<string>()
  for (const { path, occurrences } of sources)
    for (const { symbol, roles, line } of occurrences) {
      if ((roles & DEFINITION) === 0) continue
      const place = `${path}:${line}`
      if ((places.get(symbol) ?? place) !== place) found.add(symbol)
      places.set(symbol, place)
    }
  return found
}

/** The text with spaces for what is no code. */
function masked(text: string): string {
  return text.replace(
    /\/\/.*|\/\*[\s\S]*?\*\/|\br(#*)"[\s\S]*?"\1|"(?:\\[\s\S]|[^"\\])*"|'(?:\\.[^']*|[^'\\])'/g,
    (whole) => whole.replace(/[^\n]/g, " "),
  )
}

/**
 * The last line of an item: that of the bracket that closes its body, or of its semicolon; a field or variant may also end at
 * a comma.
 */
function endOf(lines: readonly string[], line: number, column: number, isField = false): number {
  let depth = 0
  for (let at = line; at < lines.length; at++) {
    for (const character of at === line ? lines[at]!.slice(column) : lines[at]!) {
      if ("([{".includes(character)) depth++
      else if (")]}".includes(character) && --depth <= 0 && (character === "}" || depth < 0)) return at + 1
      else if (depth === 0 && (character === ";" || (isField && character === ","))) return at + 1
    }
  }
  return line + 1
}

function kindOf(symbol: string, before: string): Definition["kind"] {
  const isMember = /[#\]][^/]*$/.test(symbol.replace(/#$/, ""))
  if (/\)\.$/.test(symbol)) return isMember ? "method" : "function"
  if (symbol.endsWith("!")) return "function"
  if (symbol.endsWith("#"))
    return /\btrait\s*$/.test(before)
      ? "interface"
      : isMember
        ? "field"
        : /\btype\s*$/.test(before)
          ? "type"
          : "class"
  return isMember ? "field" : "value"
}

function ownerOf(symbol: string): string {
  const implemented = IMPL.exec(symbol)
  if (implemented) return implemented[1]!
  return /(\w+)#[^#/]+$/.exec(symbol)?.[1] ?? ""
}

/** `impl#[Type][Trait]member().`, with both names bare. */
const IMPL = /impl#\[`?&?(?:mut )?(?:\w+::)*(\w+)[^\]]*\](?:\[`?(?:\w+::)*(\w+)[^\]]*\])?[^#/]*$/

/**
 * Names of which the index says nothing: those of code that is not compiled for this system or without a feature, of
 * the bodies of macros, and members of values whose type the compiler does not know there.
 */
function* unknownIn({ path, lines, occurrences }: Source): Generator<Fact> {
  const known = new Set(occurrences.map(({ line, start }) => `${line}:${start}`))
  let unread = 0
  for (const [line, text] of lines.entries()) {
    for (const { 1: kind, 2: name, index, 0: whole } of text.matchAll(ITEM)) {
      const start = index + whole.length - name!.length
      if (kind === "macro_rules!" || !known.has(`${line}:${start}`))
        unread = Math.max(unread, endOf(lines, line, start + name!.length))
    }
    for (const { 0: use, index } of text.matchAll(/\b[A-Za-z_]\w*/g)) {
      if (known.has(`${line}:${index}`)) continue
      const isMember =
        /(?:\.|::)\s*$/.test(text.slice(0, index)) || /^::/.test(text.slice(index + use.length))
      if (isMember || line < unread) yield { use, path, line: line + 1, col: index + 1 }
    }
  }
}

const ITEM = /\b(fn|struct|enum|union|trait|mod|type|macro_rules!)\s+(\w+)/g

/**
 * Each `impl Trait for Type` of a trait of the project, and the members in its body; also what a trait extends. A type of another
 * project, or a type parameter, is known by the place of its `impl`; the traits that bound the parameter are below it.
 */
function* implemented(
  sources: readonly Source[],
  own: readonly (Definition & { readonly symbol: string })[],
  ids: ReadonlyMap<string, number>,
  count: number,
): Generator<Fact> {
  const members = Map.groupBy(own, ({ path }) => path)
  const byId = new Map(own.map((each) => [each.def, each]))
  let next = count
  const pairs = new Set<string>()
  for (const { path, lines, occurrences } of sources) {
    const meant = new Map(occurrences.map(({ symbol, line, start }) => [`${line}:${start}`, symbol]))
    const traitsAt = (places: readonly string[]) =>
      places.flatMap((place) => {
        const found = byId.get(ids.get(meant.get(place) ?? "") ?? -1)
        return found?.kind === "interface" ? found : []
      })
    for (const { 0: sub, 1: bases } of traitsIn(lines)) {
      const [own] = traitsAt([sub!])
      if (own !== undefined) for (const base of traitsAt(bases)) yield { sub: own.def, super: base.def }
    }
    for (const { line, trait, type, bounds, to } of implsIn(lines)) {
      const [base] = traitsAt([trait])
      if (base === undefined) continue
      for (const each of members.get(path) ?? []) {
        if (each.line <= line || each.line > to || !each.symbol.includes("impl#")) continue
        const above = [".", "().", "#"].map((end) => ids.get(`${base.symbol}${each.name}${end}`))
        for (const id of above) if (id !== undefined) yield { sub: each.def, super: id }
      }
      let sub = ids.get(meant.get(type) ?? "")
      if (sub === undefined) {
        sub = next++
        const place = { path, line, from: line, to, name: "impl", owner: "" }
        yield { def: sub, ...place, kind: "local" }
        if (!meant.has(type)) for (const bound of traitsAt(bounds)) yield { sub: bound.def, super: sub }
      }
      if (pairs.has(`${sub} ${base.def}`)) continue
      pairs.add(`${sub} ${base.def}`)
      yield { sub, super: base.def }
    }
  }
}

type Impl = {
  /** 1-based lines. */
  readonly line: number
  readonly to: number
  /** Places of the last names of both paths, as "line:column" from 0. */
  readonly trait: string
  readonly type: string
  /** Places of all names after the type or in brackets, such as bounds of type parameters. */
  readonly bounds: readonly string[]
}

/** The place of each trait's name, and those of the names before its body. */
function* traitsIn(lines: readonly string[]): Generator<readonly [string, readonly string[]]> {
  for (const [at, line] of lines.entries()) {
    const head = /\btrait\s+(?=\w)/.exec(line)
    if (head === null) continue
    const from = head.index + head[0].length
    const names: string[] = []
    rows: for (let row = at; row < lines.length; row++)
      for (const { 0: word, index } of lines[row]!.matchAll(/\bwhere\b|[{;]|\w+/g)) {
        if (row === at && index < from) continue
        if (/^(?:[{;]|where)$/.test(word)) break rows
        names.push(`${row}:${index}`)
      }
    yield [names[0]!, names.slice(1)]
  }
}

/** Implementations of traits, by their heads: `impl<T> path::Trait<T> for path::Type<T>`. */
function* implsIn(lines: readonly string[]): Generator<Impl> {
  for (const [at, line] of lines.entries()) {
    if (!/^\s*(?:default\s+|unsafe\s+)*impl\b/.test(line)) continue
    const names: string[] = []
    const bounds: string[] = []
    let last = ""
    let depth = 0
    rows: for (let row = at; row < lines.length; row++)
      for (const { 0: word, index } of lines[row]!.matchAll(/->|=>|[<>()[\]{;]|\w+/g)) {
        if (depth === 0 && /^(?:[{;]|where)$/.test(word)) {
          if (names.length < 2) names.push(last)
          if (word !== "where") break rows
        }
        if (names.length > 1 || depth > 0) bounds.push(`${row}:${index}`)
        if ("<([".includes(word)) depth++
        else if (">)]".includes(word)) depth--
        else if (depth > 0 || !/^\w/.test(word) || /^(?:impl|dyn|mut|unsafe|default|const)$/.test(word))
          continue
        else if (names.length > 1) continue
        else if (word === "for") {
          names.push(last)
          last = ""
        } else last = `${row}:${index}`
      }
    const [trait, type] = names
    if (names.length === 2)
      yield { line: at + 1, to: endOf(lines, at, line.indexOf("impl")), trait: trait!, type: type!, bounds }
  }
}
