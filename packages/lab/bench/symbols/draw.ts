import { compareTexts } from "../../../../src/base/index.ts"
import { CALLABLE, type Definition, type Facts, placeOf, TYPE, type Use } from "./facts.ts"
import type { JudgedQuestion, JudgedRelation } from "./judged.ts"

/** A symbol drawn at random, or the place of a use. */
type Drawn = {
  readonly relation: JudgedRelation
  readonly isCommon: boolean
  readonly name: string
  readonly owner: string
  /** File that defines the symbol; for a site the file of the use. */
  readonly path: string
  /** Line of the definition; for a site that of the use. */
  readonly line: number
  /** Numbers of the definitions that are asked about; for a site those that it means, none if it leads out. */
  readonly ids: ReadonlySet<number>
}
/** Symbols of a repository, half of them with common names and half with rare ones. */
const SYMBOLS = 48
const FURTHER = 12
const SITES = 30
/** A name is common if the project defines it at least so often, or uses it at least so often. */
const COMMON_DEFINITIONS = 3
const COMMON_USES = 50
/** A walk along callers is limited, so that only what it can reach is asked. */
const MAX_AFFECTED = 200
const IMPACT_DEPTH = 5

/** Questions about a project's symbols, drawn at random with a fixed seed, and their answers by the compiler's facts. */
export function drawQuestions(facts: Facts, repo: string, language: string): JudgedQuestion[] {
  return drawSymbols(facts, repo).map((drawn) => {
    const { relation, isCommon, name, owner, path, line } = drawn
    return {
      ...{ repo, language, relation, isCommon, path },
      name: owner === "" ? name : `${owner}.${name}`,
      ...(relation === "site" && { line }),
      ...answerTo(facts, drawn),
    }
  })
}

type Answer = Pick<JudgedQuestion, "truth" | "neutral" | "isUndecidable">

function answerTo(facts: Facts, drawn: Drawn): Answer {
  const definitions = [...drawn.ids].map((id) => facts.definitions.get(id)!)
  switch (drawn.relation) {
    case "site":
      return { truth: placesOf(definitions), neutral: placesOf(declarationsOf(facts, drawn.ids)) }
    case "implementations": {
      const direct = new Set([...drawn.ids].flatMap((id) => facts.subsOf(id)))
      const further = facts.allSubs(drawn.ids).difference(direct)
      // Rust's `impl` for a type of another project has members, but no definition of the type.
      const members = facts.allSubs(new Set(definitions.flatMap((each) => facts.membersOf(each))))
      return {
        truth: placesOf(definitionsOf(facts, direct.difference(drawn.ids))),
        neutral: placesOf(declarationsOf(facts, [...drawn.ids, ...direct, ...further, ...members])),
      }
    }
    case "affected":
      return affected(facts, drawn.ids)
    default:
      return used(facts, drawn, definitions)
  }
}

function used(facts: Facts, { relation, ids, name }: Drawn, definitions: readonly Definition[]): Answer {
  const uses = definitions.flatMap(({ def }) => facts.usesOf(def))
  const isAsked = ({ call }: Use) => relation !== "callers" || call === true
  // A call through an interface may reach a method, and the other way round; what the compiler does not know may be
  // anything; the constructors of a type are declared by its name.
  const family = facts.family(ids)
  const unknown = facts.uses.filter(({ use, defs }) => use === name && defs === undefined)
  const declared = declarationsOf(facts, family)
  const constructors = facts.definitions
    .values()
    .filter((each) => each.name === name && each.kind === "constructor")
  const lines = new Set(declarationsOf(facts, ids).map(placeOf))
  return {
    truth: placesOf(uses.filter((each) => isAsked(each) && !lines.has(placeOf(each)))),
    neutral: placesOf([
      ...declared,
      ...constructors,
      ...uses.filter((each) => !isAsked(each) || lines.has(placeOf(each))),
      ...[...family].flatMap((id) => (ids.has(id) ? [] : facts.usesOf(id))),
      ...unknown,
    ]),
    isUndecidable: unknown.length > 0,
  }
}

/** Functions and methods that use these, by steps; neutral: what a call through an interface or an unknown one adds. */
function affected(facts: Facts, ids: ReadonlySet<number>): Answer {
  const own = affectedBy(facts, ids, (id) => facts.usesOf(id))
  const unknown = Map.groupBy(
    facts.uses.filter(({ defs }) => defs === undefined),
    ({ use }) => use,
  )
  const wide = affectedBy(
    facts,
    facts.family(ids),
    (id) => [
      ...[...facts.family(new Set([id]))].flatMap((each) => facts.usesOf(each)),
      ...(unknown.get(facts.definitions.get(id)!.name) ?? []),
      ...constructing(facts, id),
    ],
    (use) => localsAt(facts, use),
  )
  const asked = definitionsOf(facts, own)
  return {
    truth: placesOf(asked.filter(({ kind }) => CALLABLE.has(kind))),
    neutral: placesOf([
      ...declarationsOf(facts, own.union(wide).union(facts.family(ids))),
      ...localsIn(facts, own.union(wide).union(ids)),
    ]),
  }
}

/** Uses of the type whose `__init__` this is: pyright says that they mean the type. */
function constructing(facts: Facts, id: number): readonly Use[] {
  const { name, owner, path, line } = facts.definitions.get(id)!
  if (name !== "__init__") return []
  const types = facts
    .inFile(path)
    .filter((each) => each.name === owner && each.from <= line && line <= each.to)
  return types.flatMap(({ def }) => facts.usesOf(def))
}

/** Functions inside of others that use these, or that are inside of these. */
function localsIn(facts: Facts, ids: ReadonlySet<number>): Definition[] {
  return [...ids].flatMap((id) => {
    const { path, from, to } = facts.definitions.get(id)!
    const used = facts.usesOf(id).flatMap((use) => localsAt(facts, use))
    return [...localsAt(facts, { path, line: from }, to), ...used]
  })
}

function localsAt(facts: Facts, { path, line }: Pick<Use, "path" | "line">, to = line): Definition[] {
  return facts.inFile(path).filter((each) => each.kind === "local" && each.from <= to && line <= each.to)
}

function definitionsOf(facts: Facts, ids: Iterable<number>): Definition[] {
  return Array.from(ids, (id) => facts.definitions.get(id)!)
}

function declarationsOf(facts: Facts, ids: Iterable<number>): Definition[] {
  return [...ids].flatMap((id) => facts.declarationsOf(id))
}

function placesOf(
  places: Iterable<{ readonly path: string; readonly line: number }>,
): Record<string, number[]> {
  const found: Record<string, number[]> = {}
  for (const { path, line } of places) {
    const lines = found[path] ?? []
    found[path] = lines
    if (!lines.includes(line)) lines.push(line)
  }
  return found
}

function drawSymbols(facts: Facts, seed: string): Drawn[] {
  const random = randomFrom(seed)
  const isCommon = commonNames(facts)
  const groups = new Map<string, Definition[]>()
  for (const each of facts.definitions.values()) {
    if (
      each.kind === "local" ||
      each.kind === "constructor" ||
      each.name === "__init__" ||
      !/^[\p{L}_$][\p{L}\p{N}_$]+$/u.test(each.name)
    )
      continue
    const key = JSON.stringify([each.path, each.owner, each.name])
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  const keys = [...groups.keys()].sort(compareTexts)
  const asked = (key: string, relation: JudgedRelation): Drawn => {
    const [first, ...others] = groups.get(key)!
    const { name, owner, path, line } = first!
    const ids = new Set([first!, ...others].map(({ def }) => def))
    return { relation, isCommon: isCommon(name), name, owner, path, line, ids }
  }
  const isOfKind = (key: string, kinds: ReadonlySet<string>) =>
    groups.get(key)!.every(({ kind }) => kinds.has(kind))
  const drawn = balanced(keys, (key) => isCommon(groups.get(key)![0]!.name), SYMBOLS, random)
  const callables = keys.filter((key) => isOfKind(key, CALLABLE))
  const above = keys.filter((key) =>
    groups.get(key)!.some(({ def, kind }) => kind !== "field" && facts.subsOf(def).length > 0),
  )
  const sites = facts.uses.filter(
    ({ use, defs, path, line }) =>
      defs !== undefined &&
      (defs.length > 0 ? defs.some((id) => facts.definitions.get(id)!.kind !== "local") : true) &&
      facts.usesAt(placeOf({ path, line })).filter((each) => each.use === use).length === 1,
  )
  return [
    ...drawn.map((key) => asked(key, "references")),
    ...drawn.filter((key) => isOfKind(key, CALLABLE)).map((key) => asked(key, "callers")),
    ...balanced(above, (key) => isOfKind(key, TYPE), FURTHER, random).map((key) =>
      asked(key, "implementations"),
    ),
    ...balanced(callables, (key) => isCommon(groups.get(key)![0]!.name), FURTHER * 4, random)
      .map((key) => asked(key, "affected"))
      .filter(({ ids }) => {
        const { size } = affectedBy(facts, ids, (id) => facts.usesOf(id))
        return size > 0 && size <= MAX_AFFECTED
      })
      .slice(0, FURTHER),
    ...balanced(sites, ({ use }) => isCommon(use), SITES, random).map((each) =>
      siteOf(each, isCommon(each.use)),
    ),
  ]
}

function siteOf({ use, path, line, defs }: Use, isCommon: boolean): Drawn {
  return { relation: "site", isCommon, name: use, owner: "", path, line, ids: new Set(defs) }
}

/** The definitions in whose bodies these are used, directly or through at most IMPACT_DEPTH steps. */
function affectedBy(
  facts: Facts,
  ids: ReadonlySet<number>,
  usesOf: (id: number) => readonly Use[],
  alsoAround: (use: Use) => readonly Definition[] = () => [],
): Set<number> {
  const found = new Set<number>()
  let layer: ReadonlySet<number> = ids
  for (let depth = 0; depth < IMPACT_DEPTH && layer.size > 0; depth++) {
    const users = [...layer].flatMap(usesOf).flatMap((use) => {
      const around = facts.around(use.path, use.line)
      return [...(around === null ? [] : [around]), ...alsoAround(use)]
    })
    layer = new Set(users.map(({ def }) => def)).difference(found).difference(ids)
    for (const id of layer) found.add(id)
  }
  return found
}

function commonNames(facts: Facts): (name: string) => boolean {
  const definitions = Map.groupBy(facts.definitions.values(), ({ name }) => name)
  const uses = Map.groupBy(facts.uses, ({ use }) => use)
  const count = (name: string) =>
    (definitions.get(name) ?? []).filter(({ kind }) => kind !== "local" && kind !== "constructor").length
  return (name) => count(name) >= COMMON_DEFINITIONS || (uses.get(name)?.length ?? 0) >= COMMON_USES
}

/** Draws a number of entries, half of them from either group, more from one if the other is too small. */
function balanced<T>(
  all: readonly T[],
  isFirst: (each: T) => boolean,
  count: number,
  random: () => number,
): T[] {
  const shuffled = shuffle(all, random)
  const one = shuffled.filter(isFirst)
  const other = shuffled.filter((each) => !isFirst(each))
  const half = Math.floor(count / 2)
  const ofOne = Math.min(one.length, Math.max(half, count - other.length))
  return [...one.slice(0, ofOne), ...other.slice(0, count - ofOne)]
}

function shuffle<T>(all: readonly T[], random: () => number): T[] {
  const left = [...all]
  for (let at = left.length - 1; at > 0; at--) {
    const with_ = Math.floor(random() * (at + 1))
    const moved = left[at]!
    left[at] = left[with_]!
    left[with_] = moved
  }
  return left
}

/** A generator of numbers from 0 to 1 (mulberry32) that gives the same ones for the same text. */
function randomFrom(seed: string): () => number {
  let state = Number(Bun.hash.wyhash(seed) & 0xffffffffn)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
