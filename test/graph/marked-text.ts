/**
 * Text with marks that say what is true about it:
 *
 *   ‹+x.T1.m1›   defines the member m1 of the type T1 of package x
 *   ‹x.T1.m1›    uses it; ‹x.T1:RT1› uses it under another name
 *   ‹?x.T1›      may be given to T1 or not
 *   ‹-T1›        the same name with another meaning: a local, a parameter, a key
 *   ‹#2›         ends part 2 of the text
 *   ⟦one¦other⟧  one of several texts
 *
 * `m3/2` is the overload of m3 with two parameters. After `~` follows another definition that the use may be given to.
 */

/** A place in a file that uses a definition. */
export type TrueUse = {
  readonly path: string
  readonly line: number
  readonly id: string
  /** Construct around the use, and how its file reaches the package. */
  readonly label: string
}

export type TruePlace = { readonly path: string; readonly line: number; readonly name: string }

const MARK = /‹([+?-]?)([\w./]+)(?:~([\w./~]+))?(?::([^›]*))?›/g
const PART = /‹#(\d+)›/g

export type TextScope = {
  /** The package for each first word of a mark; null: outside of the project. */
  readonly packages: Readonly<Record<string, string | null>>
  /** The label of a part of the text; null: the rest of the text. */
  readonly labelOf: (part: number | null) => string
}

/** Files without marks, and what is true about them. */
export class MarkedTexts {
  readonly files = new Map<string, string>()
  /** Places of each definition. */
  readonly definitions = new Map<string, TruePlace[]>()
  readonly uses: TrueUse[] = []
  /** The ids that a line may be given to, by `path:line`. */
  readonly allowed = new Map<string, Set<string>>()
  /** The label of each line, by `path:line`. */
  readonly labels = new Map<string, string>()
  readonly #nameOf: (slot: string) => string
  readonly #random: () => number

  /** `nameOf` gives the name of a slot such as T1. */
  constructor(nameOf: (slot: string) => string, random: () => number) {
    this.#nameOf = nameOf
    this.#random = random
  }

  add(markedPath: string, text: string, scope: TextScope): void {
    const path = markedPath.replace(/‹-(\w+)›/g, (_, slot: string) => this.#nameOf(slot))
    const lines = chosen(text, this.#random).split("\n")
    const parts = partsOf(lines)
    const plain = lines.map((line, at) => {
      const place = { path, line: at + 1, label: scope.labelOf(parts[at]!) }
      this.labels.set(`${path}:${at + 1}`, place.label)
      return line.replace(PART, "").replace(MARK, (...mark) => this.#read(mark, place, scope))
    })
    this.files.set(path, `${plain.join("\n").trimEnd()}\n`)
  }

  /** Records a mark, and returns its text. */
  #read(
    [, kind, slots = "", also, text]: readonly (string | undefined)[],
    { path, line, label }: { readonly path: string; readonly line: number; readonly label: string },
    { packages }: TextScope,
  ): string {
    const last = slots.replace(/^.*\./, "").replace(/\/.*/, "")
    const name = text?.replaceAll(last, () => this.#nameOf(last)) ?? this.#nameOf(last)
    const id = idOf(slots, packages)
    if (kind === "-" || id === null) return name
    const ids = this.allowed.get(`${path}:${line}`) ?? new Set()
    this.allowed.set(`${path}:${line}`, ids)
    for (const each of [id, ...(also?.split("~").map((other) => idOf(other, packages)) ?? [])])
      if (each !== null) ids.add(each)
    if (kind === "+") this.definitions.set(id, [...(this.definitions.get(id) ?? []), { path, line, name }])
    else if (kind === "") this.uses.push({ path, line, id, label })
    return name
  }
}

/** The text with one of the texts of each choice. */
export function chosen(text: string, random: () => number): string {
  return text.replace(/⟦([^⟧]*)⟧/g, (_, all: string) => pick(all.split("¦"), random))
}

export function pick<T>(all: readonly T[], random: () => number): T {
  return all[Math.floor(random() * all.length)]!
}

function idOf(slots: string, packages: Readonly<Record<string, string | null>>): string | null {
  const dot = slots.indexOf(".")
  const scope = packages[slots.slice(0, dot)]
  return dot < 0 || scope == null ? null : `${scope}.${slots.slice(dot + 1)}`
}

/** The part of each line: a part ends with its mark, and begins after the end of the one before. */
function partsOf(lines: readonly string[]): (number | null)[] {
  const parts: (number | null)[] = []
  let part: number | null = null
  for (let at = lines.length - 1; at >= 0; at--) {
    const end = [...lines[at]!.matchAll(PART)].at(-1)
    if (end) part = Number(end[1])
    parts.unshift(part)
  }
  return parts
}
