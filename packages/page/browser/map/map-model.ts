import type { CodeMap, MapFile } from "../../../../src/context/map/code-map.ts"
import { type Rectangle, treemap } from "../drawings/treemap.ts"
import type { CodeUses } from "./map-types.ts"

export type Box = Rectangle & {
  readonly kind: "map" | "module" | "folder" | "file" | "function" | "rest"
  readonly path: string
  readonly name: string
  readonly lines: number
  /** Number of files inside. */
  readonly files: number
  readonly parent: Box | null
  readonly file: MapFile | null
  /** Line of a function. */
  readonly line: number
  readonly children: readonly Box[]
}

/** Uses of a box's parts by another's. */
export type BoxEdge = {
  readonly from: Box
  readonly to: Box
  readonly count: number
  /** True when it closes a cycle: it leads against the order in which modules are drawn. */
  readonly isBack: boolean
}

export type MapModel = {
  readonly root: Box
  readonly boxes: ReadonlyMap<string, Box>
  /** Modules that use each other, also through others; the largest group first. */
  readonly cycles: readonly (readonly Box[])[]
  readonly edgesAmong: (box: Box) => readonly BoxEdge[]
  /** Uses of a box by others and of others by it. The others are its siblings, or for distant ones their modules. */
  readonly edgesOf: (box: Box) => { readonly uses: readonly BoxEdge[]; readonly users: readonly BoxEdge[] }
}

export const KINDS = ["code", "test", "vendored", "other"] as const

type Link = readonly [from: Box, to: Box, count: number]
type Sized = { readonly lines: number }

/** Places modules so that those that use others are above them, in rows whose areas are the numbers of lines. */
export function mapModel(
  map: CodeMap,
  uses: CodeUses | null,
  kinds: ReadonlySet<string>,
  size: Pick<Rectangle, "width" | "height">,
): MapModel {
  const world = { x: 0, y: 0, ...size }
  const files = map.files.filter(({ kind, lines }) => kinds.has(kind) && lines > 0)
  const definitions = Map.groupBy(uses?.definitions ?? [], ([file]) => uses!.paths[file]!)
  const byModule = Map.groupBy(files, ({ module }) => module)
  const moduleOf = new Map(files.map(({ path, module }) => [path, module]))
  const between = linksOf(uses, (path) => moduleOf.get(path))
  const order = orderOf([...byModule.keys()], between)
  const rankOf = new Map(order.map((module, at) => [module, at]))
  const root: Box & { children: Box[] } = { ...newBox("map", "", "", world, null), children: [] }
  const boxes = new Map<string, Box>()
  const build = new Building(boxes, definitions)
  const sized = order.map((module) => ({
    module,
    files: byModule.get(module)!,
    lines: linesIn(byModule.get(module)!),
  }))
  for (const { row, box } of rowsOf(sized, world)) {
    const sorted = row.toSorted((a, b) => b.lines - a.lines)
    const places = treemap(
      sorted.map(({ lines }) => lines),
      box,
    )
    for (const [at, { module, files: own }] of sorted.entries())
      root.children.push(build.module(map.modules[module]!, own, places[at]!, root))
  }
  root.children.sort((a, b) => rankOf.get(moduleIn(a))! - rankOf.get(moduleIn(b))!)
  const links = (uses?.uses ?? []).flatMap(([from, to, count]): Link[] => {
    const [a, b] = [boxes.get(uses!.paths[from]!), boxes.get(uses!.paths[to]!)]
    return a === undefined || b === undefined ? [] : [[a, b, count]]
  })
  const groups = cyclesIn([...byModule.keys()], between)
  const groupOf = new Map(groups.flatMap((group, at) => group.map((module) => [module, at])))
  const moduleBoxes = new Map(root.children.map((box) => [moduleIn(box), box]))
  const isBack = (from: Box, to: Box) => {
    if (from.kind !== "module" || to.kind !== "module") return false
    const [a, b] = [moduleIn(from), moduleIn(to)]
    return (
      groupOf.get(a) !== undefined && groupOf.get(a) === groupOf.get(b) && rankOf.get(a)! > rankOf.get(b)!
    )
  }
  const edgesBetween = (pairs: Iterable<Link>) => summed(pairs, isBack)
  return {
    root,
    boxes,
    cycles: groups.map((group) => group.map((module) => moduleBoxes.get(module)!)),
    edgesAmong: once((box) =>
      edgesBetween(
        links.flatMap(([from, to, count]): Link[] => {
          const [a, b] = [childIn(box, from), childIn(box, to)]
          return a === null || b === null || a === b ? [] : [[a, b, count]]
        }),
      ),
    ),
    edgesOf: once((box) => {
      const peerOf = (other: Box) => {
        const shared = ancestors(box).find((each) => childIn(each, other) !== null)
        return (shared && childIn(shared, other)) ?? other
      }
      const uses: Link[] = []
      const users: Link[] = []
      for (const [from, to, count] of links) {
        const [isFrom, isTo] = [isIn(from, box), isIn(to, box)]
        if (isFrom && !isTo) uses.push([box, peerOf(to), count])
        if (isTo && !isFrom) users.push([peerOf(from), box, count])
      }
      return { uses: edgesBetween(uses), users: edgesBetween(users) }
    }),
  }
}

/** A function that remembers its values, because every frame asks for them. */
export function once<T>(compute: (box: Box) => T): (box: Box) => T {
  const known = new WeakMap<Box, T>()
  return (box) => {
    const value = known.get(box) ?? compute(box)
    known.set(box, value)
    return value
  }
}

/** Index of the module of a box. */
function moduleIn(box: Box): number {
  let at = box
  while (at.file === null) at = at.children[0]!
  return at.file.module
}

function linesIn(parts: readonly Sized[]): number {
  return parts.reduce((sum, { lines }) => sum + lines, 0)
}

function newBox(kind: Box["kind"], path: string, name: string, place: Rectangle, parent: Box | null): Box {
  return { ...place, kind, path, name, lines: 0, files: 0, parent, file: null, line: 0, children: [] }
}

/** The boxes around a box, innermost first. */
function ancestors(box: Box): Box[] {
  return box.parent === null ? [] : [box.parent, ...ancestors(box.parent)]
}

export function isIn(box: Box | null, outer: Box): boolean {
  for (let at = box; at !== null; at = at.parent) if (at === outer) return true
  return false
}

function childIn(outer: Box, inner: Box): Box | null {
  for (let at: Box | null = inner; at !== null; at = at.parent) if (at.parent === outer) return at
  return null
}

function summed(links: Iterable<Link>, isBack: (from: Box, to: Box) => boolean): BoxEdge[] {
  const sums = new Map<Box, Map<Box, number>>()
  for (const [from, to, count] of links) {
    const own = sums.get(from) ?? new Map<Box, number>()
    sums.set(from, own.set(to, (own.get(to) ?? 0) + count))
  }
  return [...sums]
    .flatMap(([from, own]) =>
      Array.from(own, ([to, count]) => ({ from, to, count, isBack: isBack(from, to) })),
    )
    .sort((a, b) => b.count - a.count)
}

type Uses = ReadonlyMap<number, ReadonlyMap<number, number>>

/** Numbers of uses of modules by each other. */
function linksOf(uses: CodeUses | null, moduleOf: (path: string) => number | undefined): Uses {
  const sums = new Map<number, Map<number, number>>()
  for (const [from, to, count] of uses?.uses ?? []) {
    const [a, b] = [moduleOf(uses!.paths[from]!), moduleOf(uses!.paths[to]!)]
    if (a === undefined || b === undefined || a === b) continue
    const own = sums.get(a) ?? new Map<number, number>()
    sums.set(a, own.set(b, (own.get(b) ?? 0) + count))
  }
  return sums
}

/** An order in which few uses lead backwards (Eades, Lin and Smyth 1993, with weights): users first, the used after them, and then the rest. */
export function orderOf(modules: readonly number[], uses: Uses): number[] {
  const left = new Set(modules)
  const countOf = (from: number, to: number) => uses.get(from)?.get(to) ?? 0
  const sum = (module: number, count: (module: number, other: number) => number) => {
    let all = 0
    for (const other of left) if (other !== module) all += count(module, other)
    return all
  }
  const first: number[] = []
  const last: number[] = []
  const alone = modules.filter(
    (module) => sum(module, countOf) + sum(module, (to, from) => countOf(from, to)) === 0,
  )
  for (const module of alone) left.delete(module)
  while (left.size > 0) {
    const sums = [...left].map((module) => {
      return { module, out: sum(module, countOf), in: sum(module, (to, from) => countOf(from, to)) }
    })
    const sink = sums.find(({ out, in: used }) => out === 0 && used > 0)
    const next = sink ?? sums.reduce((best, each) => (each.out - each.in > best.out - best.in ? each : best))
    if (sink === undefined) first.push(next.module)
    else last.unshift(next.module)
    left.delete(next.module)
  }
  return [...first, ...last, ...alone]
}

/** Groups of modules that reach each other (Tarjan 1972). */
export function cyclesIn(modules: readonly number[], uses: Uses): number[][] {
  const index = new Map<number, number>()
  const low = new Map<number, number>()
  const stack: number[] = []
  const groups: number[][] = []
  const visit = (module: number) => {
    index.set(module, index.size)
    low.set(module, index.get(module)!)
    stack.push(module)
    for (const other of uses.get(module)?.keys() ?? []) {
      if (!index.has(other)) visit(other)
      if (stack.includes(other)) low.set(module, Math.min(low.get(module)!, low.get(other)!))
    }
    if (low.get(module) !== index.get(module)) return
    const group = stack.splice(stack.indexOf(module))
    if (group.length > 1) groups.push(group)
  }
  for (const module of modules) if (!index.has(module)) visit(module)
  return groups.sort((a, b) => b.length - a.length)
}

/** Cuts an order into rows of about the same area that fill the box. */
function rowsOf<T extends Sized>(parts: readonly T[], box: Rectangle): { row: T[]; box: Rectangle }[] {
  const total = linesIn(parts)
  const count = Math.max(1, Math.min(5, Math.round(Math.sqrt(parts.length))))
  const rows: T[][] = []
  let sum = 0
  for (const part of parts) {
    const at = Math.min(count - 1, Math.floor((count * (sum + part.lines / 2)) / total))
    const row = rows[at] ?? []
    rows[at] = row
    row.push(part)
    sum += part.lines
  }
  let { y } = box
  return rows.flatMap((row) => {
    const height = (box.height * linesIn(row)) / total
    const place = { x: box.x, y, width: box.width, height }
    y += height
    return [{ row, box: place }]
  })
}

type Definition = CodeUses["definitions"][number]
type Folder = { readonly folders: Map<string, Folder>; readonly files: MapFile[] }

/** Strip for the name of a box in shares of its height, and its largest height, in units of the world. */
const HEADER = { share: 0.1, max: { module: 18, folder: 14, file: 14 } }
const MAX_FUNCTIONS = 300

class Building {
  readonly #boxes: Map<string, Box>
  readonly #definitions: ReadonlyMap<string, readonly Definition[]>

  constructor(boxes: Map<string, Box>, definitions: ReadonlyMap<string, readonly Definition[]>) {
    this.#boxes = boxes
    this.#definitions = definitions
  }

  module(path: string, files: readonly MapFile[], place: Rectangle, parent: Box): Box {
    const top: Folder = { folders: new Map(), files: [] }
    const prefix = path === "." ? "" : `${path}/`
    for (const file of files) {
      const steps = file.path.slice(prefix.length).split("/").slice(0, -1)
      let folder = top
      for (const step of steps) {
        const inner = folder.folders.get(step) ?? { folders: new Map(), files: [] }
        folder.folders.set(step, inner)
        folder = inner
      }
      folder.files.push(file)
    }
    const name = path === "." ? "top folder" : path
    return this.#folder("module", { path, name, prefix, folder: top }, place, parent)
  }

  #folder(
    kind: "module" | "folder",
    { path, name, prefix, folder }: { path: string; name: string; prefix: string; folder: Folder },
    place: Rectangle,
    parent: Box,
  ): Box {
    const box: Box & { children: Box[]; lines: number; files: number } = {
      ...newBox(kind, path, name, place, parent),
      children: [],
    }
    this.#boxes.set(path, box)
    const parts = [
      ...Array.from(folder.folders, ([step, inner]) => {
        const way = [step]
        let at = inner
        for (let only = onlyFolder(at); only !== null; only = onlyFolder(at)) {
          way.push(only[0])
          at = only[1]
        }
        return { name: way.join("/"), folder: at, file: null, lines: linesIn(allFiles(at)) }
      }),
      ...folder.files.map((file) => ({ name: "", folder: null, file, lines: file.lines })),
    ].sort((a, b) => b.lines - a.lines)
    const places = treemap(
      parts.map(({ lines }) => lines),
      inside(box),
    )
    for (const [at, part] of parts.entries()) {
      const inner = `${prefix}${part.name}`
      box.children.push(
        part.folder === null
          ? this.#file(part.file!, places[at]!, box)
          : this.#folder(
              "folder",
              { path: inner, name: part.name, prefix: `${inner}/`, folder: part.folder },
              places[at]!,
              box,
            ),
      )
    }
    box.lines = linesIn(box.children)
    box.files = box.children.reduce((sum, { files }) => sum + files, 0)
    return box
  }

  #file(file: MapFile, place: Rectangle, parent: Box): Box {
    const { path, lines } = file
    const name = path.slice(path.lastIndexOf("/") + 1)
    let children: Box[] | null = null
    const definitions = this.#definitions.get(path) ?? []
    const box: Box = {
      ...newBox("file", path, name, place, parent),
      ...{ lines, file, files: 1 },
      // Only files that are looked at are divided.
      get children() {
        children ??= functionsIn(box, definitions)
        return children
      },
    }
    this.#boxes.set(path, box)
    return box
  }
}

function onlyFolder({ folders, files }: Folder): [string, Folder] | null {
  return files.length === 0 && folders.size === 1 ? [...folders][0]! : null
}

function allFiles({ folders, files }: Folder): MapFile[] {
  return [...files, ...[...folders.values()].flatMap(allFiles)]
}

/** The functions of a file by lines, and the rest of its lines. */
function functionsIn(file: Box, definitions: readonly Definition[]): Box[] {
  const parts = definitions
    .map(([, name, first, last]) => ({ name, line: first, lines: last - first + 1 }))
    .sort((a, b) => b.lines - a.lines)
    .slice(0, MAX_FUNCTIONS)
  const rest = file.lines - linesIn(parts)
  const all = [...parts, ...(rest > 0 ? [{ name: "", line: 0, lines: rest }] : [])].sort(
    (a, b) => b.lines - a.lines,
  )
  const places = treemap(
    all.map(({ lines }) => lines),
    inside(file),
  )
  return all.map(({ name, line, lines }, at) => ({
    ...newBox(name === "" ? "rest" : "function", file.path, name, places[at]!, file),
    ...{ lines, line },
  }))
}

/** The part of a box that its parts fill: all but a strip for its name and a small margin. */
function inside({ kind, x, y, width, height }: Box): Rectangle {
  const margin = Math.min(width, height) * 0.012
  const max = HEADER.max[kind as keyof typeof HEADER.max]
  const header = Math.min(max, height * HEADER.share)
  return { x: x + margin, y: y + header, width: width - 2 * margin, height: height - header - margin }
}
