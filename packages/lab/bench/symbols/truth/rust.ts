import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { loadScipFormat } from "../../../../../src/symbols/index.ts"
import type { Definition, Fact } from "../facts.ts"

const DEFINITION = 1

/** The facts of a Rust project, from the index that `rust-analyzer scip` writes. */
export async function* rustFacts(root: string, index: Uint8Array): AsyncGenerator<Fact> {
  const { nameOfSymbol, readScip } = await loadScipFormat()
  const documents = [...readScip(index).documents()].filter(({ path }) => existsSync(join(root, path)))
  const ids = new Map<string, number>()
  const own: (Definition & { readonly symbol: string })[] = []
  const unclear = ambiguous(documents)
  for (const { path, occurrences } of documents) {
    yield { file: path }
    const lines = readFileSync(join(root, path), "utf8").split("\n")
    for (const { symbol, roles, line, start, end } of occurrences) {
      const name = nameOfSymbol(symbol)
      if ((roles & DEFINITION) === 0 || name === null || symbol.endsWith("/") || ids.has(symbol)) continue
      if (end === null || lines[line]?.slice(start, end) !== name) continue
      const def = ids.size
      ids.set(symbol, def)
      const definition = {
        ...{ def, path, line: line + 1, from: line + 1, to: endOf(lines, line, end) },
        kind: unclear.has(symbol) ? ("local" as const) : kindOf(symbol, lines[line]!.slice(0, start)),
        ...{ name, owner: ownerOf(symbol) },
      }
      own.push({ ...definition, symbol })
      yield definition
    }
  }
  const usedIn = new Map<string, Set<number>>()
  for (const { path, occurrences } of documents) {
    const lines = readFileSync(join(root, path), "utf8").split("\n")
    const used = new Set<number>()
    usedIn.set(path, used)
    for (const { symbol, roles, line, start, end } of occurrences) {
      const use = end === null ? "" : (lines[line]?.slice(start, end) ?? "")
      if ((roles & DEFINITION) !== 0 || !/^\w+$/.test(use)) continue
      const id = ids.get(symbol)
      if (id !== undefined) used.add(id)
      const isCall = /^(?:::<[^()]*>)?\s*!?\s*[({[]/.test(lines[line]!.slice(end!)) && /\)\.$|!$/.test(symbol)
      yield {
        use,
        path,
        line: line + 1,
        col: start + 1,
        ...(!unclear.has(symbol) && { defs: id === undefined ? [] : [id] }),
        ...(isCall && { call: true }),
      }
    }
  }
  yield* implemented(own, usedIn)
}

/** Symbols with several definitions: two tests of a crate, or items inside of functions, may get the same one. */
function ambiguous(documents: readonly { readonly occurrences: readonly Occurrence[] }[]): Set<string> {
  const defined = documents.flatMap(({ occurrences }) =>
    occurrences.flatMap(({ symbol, roles }) => ((roles & DEFINITION) === 0 ? [] : symbol)),
  )
  const all = Map.groupBy(defined, (symbol) => symbol)
  return new Set(defined.filter((symbol) => all.get(symbol)!.length > 1))
}

type Occurrence = { readonly symbol: string; readonly roles: number }

/** The last line of an item: that of the bracket that closes its body, or of its semicolon. */
function endOf(lines: readonly string[], line: number, column: number): number {
  let depth = 0
  for (let at = line; at < lines.length; at++) {
    const text = (at === line ? lines[at]!.slice(column) : lines[at]!).replace(
      /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'|\/\/.*/g,
      "",
    )
    for (const character of text) {
      if ("([{".includes(character)) depth++
      else if (")]}".includes(character) && --depth <= 0 && (character === "}" || depth < 0)) return at + 1
      else if (";,".includes(character) && depth === 0) return at + 1
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
      : /\btype\s*$/.test(before)
        ? "type"
        : isMember
          ? "field"
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
 * Members of an implementation of a trait, and the pair of its type and trait. An index names both by their bare names: those
 * are meant that are defined or used in the file.
 */
function* implemented(
  own: readonly (Definition & { readonly symbol: string })[],
  usedIn: ReadonlyMap<string, ReadonlySet<number>>,
): Generator<Fact> {
  const types = Map.groupBy(
    own.filter(({ symbol }) => symbol.endsWith("#")),
    ({ name }) => name,
  )
  const members = Map.groupBy(own, ({ owner, name }) => `${owner} ${name}`)
  const only = <T>(found: readonly T[] | undefined) => (found?.length === 1 ? found[0]! : null)
  const pairs = new Set<string>()
  for (const each of own) {
    const [, type, trait] = IMPL.exec(each.symbol) ?? []
    if (type === undefined || trait === undefined) continue
    const isMeant = ({ path, def }: Definition) =>
      path === each.path || usedIn.get(each.path)?.has(def) === true
    const base = only(types.get(trait)?.filter((one) => one.kind === "interface" && isMeant(one)))
    const above =
      base &&
      only(
        members
          .get(`${trait} ${each.name}`)
          ?.filter(({ symbol, path }) => path === base.path && !symbol.includes("impl#")),
      )
    if (above) yield { sub: each.def, super: above.def }
    const sub = only(types.get(type)?.filter(isMeant))
    if (!base || !sub || pairs.has(`${sub.def} ${base.def}`)) continue
    pairs.add(`${sub.def} ${base.def}`)
    yield { sub: sub.def, super: base.def }
  }
}
