/**
 * Small programs whose references are known because they are put together from marked text (marked-text.ts). A program
 * has two packages, `a` and `b`, with the same names, and files that use one of them, both, or a library outside of the
 * project with the same names again. `languages/` has the texts.
 */

import { randomFrom } from "../random.ts"
import { chosen, MarkedTexts, pick } from "./marked-text.ts"

/** Where a package lies. */
export type Place = {
  /** `a`, `b` or `lib`. */
  readonly package: string
  /** Folder of the program, such as `p7`. */
  readonly root: string
  /** `x` or `y`: the package in the marks of a file. */
  readonly as: string
}

/** How a file reaches a package. */
export type Form = {
  readonly name: string
  /** Import lines; `tops` are the top-level slots that the file uses, such as T1. */
  readonly head: (tops: readonly string[], place: Place) => string
  /** Text before a top-level name. */
  readonly prefix?: (place: Place) => string
  /** The top-level name itself under this form, if it isn't its own. */
  readonly alias?: (slot: string, as: string) => string
  /** True: names stand alone, so that only one package may be reached like this in a file. */
  readonly isBare?: boolean
  /** True: not possible for a library. */
  readonly isOwn?: boolean
  /** True: the file is part of the package. */
  readonly isInside?: boolean
  /** More files that the form needs, by path below the program's folder. */
  readonly files?: (place: Place) => Readonly<Record<string, string>>
}

export type Piece = {
  readonly name: string
  /** Code; `§n` is a number that is unique in the file. */
  readonly code: string
  /** Names of forms with which the piece isn't valid. */
  readonly not?: readonly string[]
}

export type Language = {
  readonly name: string
  /** The name of a slot, made from a word; `kind` is the slot's letter. */
  readonly spell: (kind: string, word: string) => string
  /** Files of the whole tree. */
  readonly tree?: Readonly<Record<string, string>>
  /** More files of each program, by path below its folder. */
  readonly program?: (root: string) => Readonly<Record<string, string>>
  /** Text of `§x` and `§y`: how code names the package. */
  readonly module: (place: Place) => string
  /** The files of a package, by path below the program's folder. */
  readonly package: (place: Place) => Readonly<Record<string, string>>
  /** Adds what lists the files of a program, without moving lines. */
  readonly finish?: (files: Map<string, string>, root: string) => void
  readonly forms: readonly Form[]
  readonly pieces: readonly Piece[]
  /** A file that uses the packages: its path below the program's folder, and the text around imports and pieces. */
  readonly user: (parts: {
    readonly number: number
    readonly form: Form
    readonly place: Place
    readonly head: string
    readonly body: string
  }) => readonly [path: string, text: string]
}

export type Program = Pick<MarkedTexts, "files" | "definitions" | "uses" | "allowed" | "labels"> & {
  /** Files of the library, outside of the project. */
  readonly library: ReadonlyMap<string, string>
}

export type Wanted = {
  readonly language: Language
  readonly seed: number
  /** Folder of the program in the tree. */
  readonly root: string
  /** End of every name, so that the names of two programs differ; empty: they may be the same. */
  readonly tag: string
  /** One file with one piece, instead of some by chance. */
  readonly only?: { readonly form: Form; readonly piece: Piece; readonly package: string }
}

const WORDS: Readonly<Record<string, string>> = {
  T: "conf session client order panel node task store queue map result option event box",
  I: "shape reader handler runner visitor",
  f: "load build send create render make start parse",
  m: "addr push fetch total read run close find get apply",
  p: "port size host limit count width",
  c: "max_tries default_size kind base_url",
  v: "item value data left right entry given",
}

const MAX_PIECES = 6
/** The number of the part with the imports. */
const IMPORTS = 99

export function programFor({ language, seed, root, tag, only }: Wanted): Program {
  const random = randomFrom(seed)
  const nameOf = namesBy(language, random, tag)
  const texts = new MarkedTexts(nameOf, random)
  const library = new MarkedTexts(nameOf, random)
  for (const name of ["a", "b", "lib"]) {
    const place = { package: name, root, as: "x" }
    const scope = { packages: packagesOf([place]), labelOf: () => "package" }
    for (const [path, text] of Object.entries(language.package(place))) {
      const [into, full] = name === "lib" ? [library, path] : [texts, `${root}/${path}`]
      into.add(full, filled(text, language, [place]), scope)
    }
  }
  for (const [path, text] of Object.entries(language.program?.(root) ?? {}))
    texts.files.set(`${root}/${path}`, text)
  const users = only === undefined ? 2 + Math.floor(random() * 2) : 1
  for (let number = 1; number <= users; number++) addUser(texts, { language, root, number, random, only })
  language.finish?.(texts.files, root)
  const { files, definitions, uses, allowed, labels } = texts
  return { files, definitions, uses, allowed, labels, library: library.files }
}

type User = Pick<Wanted, "language" | "root"> & {
  readonly only: Wanted["only"]
  readonly number: number
  readonly random: () => number
}

/** Adds a file that uses a package, and perhaps the other one. */
function addUser(texts: MarkedTexts, { language, root, number, random, only }: User): void {
  const { form, package: name } = only ?? formBy(language, random)
  const x: Place = { package: name, root, as: "x" }
  const y: Place = { package: name === "a" ? "b" : "a", root, as: "y" }
  const possible = language.pieces.filter(({ not = [] }) => !not.includes(form.name))
  const pieces = only === undefined ? sample(possible, MAX_PIECES, random) : [only.piece]
  const otherForm = pick(
    language.forms.filter((each) => !each.isBare && !each.isInside && !(each === form && hasOneAlias(each))),
    random,
  )
  const code = pieces.map((piece, at) => `${piece.code.trim().replaceAll("§n", `${number}${at}`)}‹#${at}›`)
  const body = chosen(code.join("\n\n"), random)
  const reached = [
    { form, place: x, tops: topsIn(body, "x") },
    { form: otherForm, place: y, tops: topsIn(body, "y") },
  ].filter(({ tops }) => tops.length > 0)
  const imports = reached.map((each) => each.form.head(each.tops, each.place)).join("")
  const [path, text] = language.user({
    number,
    form,
    place: x,
    head: `${imports.trimEnd()}‹#${IMPORTS}›\n`,
    body: withTops(body, [
      [form, x],
      [otherForm, y],
    ]),
  })
  const way = `${name === "lib" ? "outside " : ""}${form.name}`
  const labelOf = (part: number | null) =>
    part === null || part === IMPORTS ? `import (${way})` : `${pieces[part]!.name} (${way})`
  texts.add(`${root}/${path}`, filled(text, language, [x, y]), { packages: packagesOf([x, y]), labelOf })
  for (const { form: used, place } of reached)
    for (const [more, content] of Object.entries(used.files?.(place) ?? {}))
      if (!texts.files.has(`${root}/${more}`))
        texts.add(`${root}/${more}`, filled(content, language, [place]), {
          packages: packagesOf([place]),
          labelOf: () => `exports (${used.name})`,
        })
}

function packagesOf(places: readonly Place[]): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    places.map(({ as, root, package: name }) => [as, name === "lib" ? null : `${root}/${name}`]),
  )
}

function formBy(language: Language, random: () => number): { form: Form; package: string } {
  const name = pick(["a", "b", "a", "b", "lib"], random)
  const forms = language.forms.filter(({ isOwn, isInside }) => name !== "lib" || !(isOwn || isInside))
  return { form: pick(forms, random), package: name }
}

/** True for a form that gives the names of both packages the same other names. */
function hasOneAlias({ alias }: Form): boolean {
  return alias !== undefined && alias("T1", "x") === alias("T1", "y")
}

/** The top-level slots of a package that a text names, and not only their members. */
function topsIn(text: string, as: string): string[] {
  const marks = text.matchAll(new RegExp(`‹${as}\\.(\\w+)(?:[:~/][^.›]*)?›`, "g"))
  return [...new Set([...marks].map(([, slot]) => slot!))]
}

function withTops(text: string, forms: readonly (readonly [Form, Place])[]): string {
  return text.replace(/‹([xy])\.(\w+)((?:\/\d)?)›/g, (whole, as: string, slot: string, arity: string) => {
    const [form, place] = forms.find(([, each]) => each.as === as)!
    const alias = form.alias?.(slot, as)
    return `${form.prefix?.(place) ?? ""}${alias === undefined ? whole : `‹${as}.${slot}${arity}:${alias}›`}`
  })
}

function filled(text: string, language: Language, places: readonly Place[]): string {
  const named = places.reduce((all, place) => all.replaceAll(`§${place.as}`, language.module(place)), text)
  return named.replaceAll("§root", places[0]!.root)
}

function sample<T>(all: readonly T[], count: number, random: () => number): T[] {
  const left = [...all]
  return Array.from(
    { length: Math.min(count, all.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0]!,
  )
}

/** Gives each slot a name of its own. */
function namesBy(language: Language, random: () => number, tag: string): (slot: string) => string {
  const left = new Map(
    Object.entries(WORDS).map(([kind, words]) => {
      const all = words.split(" ")
      return [kind, sample(all, all.length, random)]
    }),
  )
  const known = new Map<string, string>()
  return (slot) => {
    let name = known.get(slot)
    if (name === undefined) {
      const kind = slot[0]!
      name = `${language.spell(kind, left.get(kind)!.pop()!)}${tag}`
      known.set(slot, name)
    }
    return name
  }
}

type LetterCase = "camel" | "pascal" | "snake" | "upper"

/**
 * Spells names in the letter case of their kind: `T` and `I` types, `f` functions, `m` methods, `p` fields, `c`
 * constants, `v` locals.
 */
export function spelling(
  cases: Readonly<Partial<Record<"T" | "I" | "f" | "m" | "p" | "c" | "v" | "default", LetterCase>>>,
): Language["spell"] {
  return (kind, word) => {
    const words = word.split("_")
    const letterCase = cases[kind as "T"] ?? cases.default ?? "camel"
    if (letterCase === "snake") return word
    if (letterCase === "upper") return word.toUpperCase()
    return words.map((each, at) => (at === 0 && letterCase === "camel" ? each : capital(each))).join("")
  }
}

function capital(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1)
}
