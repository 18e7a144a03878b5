import type { PathOfFile } from "../rank/file-facts.ts"

/**
 * How clearly a text names a file, 0 to 1 each: `name` for the file name alone, `path` for the file name together with
 * at least one folder.
 */
export type NamedFile = { readonly name: number; readonly path: number }

/**
 * The files whose paths a text names: in prose, in the frames of a stack trace, in links. If several files
 * have the name, each gets an equal share. In a trace, the frame of these files that is nearest to the error
 * counts in full, the others less with their distance.
 */
export function namedFiles(text: string, files: readonly PathOfFile[]): ReadonlyMap<number, NamedFile> {
  const mentions = mentionsIn(text)
  if (mentions.size === 0) return NOTHING_NAMED
  const byName = Map.groupBy(files, ({ path }) => lastPart(path.toLowerCase()))
  const found = new Map<number, NamedFile>()
  for (const { path, weight } of byDepth([...mentions.values()], byName)) {
    const bearers = byName.get(lastPart(path)) ?? []
    const shared = bearers.map((file) => sharedParts(file.path.toLowerCase(), path))
    const max = Math.max(0, ...shared)
    const meant = bearers.filter((_, at) => shared[at] === max)
    for (const { id } of meant) {
      const known = found.get(id) ?? NOT_NAMED
      const name = Math.max(known.name, weight / meant.length)
      found.set(id, { name, path: max > 1 ? Math.max(known.path, name) : known.path })
    }
  }
  return found
}

const NOTHING_NAMED: ReadonlyMap<number, NamedFile> = new Map()
const NOT_NAMED: NamedFile = { name: 0, path: 0 }

type Mention = {
  /** Lower case, with "/". */
  readonly path: string
  /** Null in prose; "last" in a trace that ends where the error arose (Python), "first" in one that begins there. */
  readonly frame: "first" | "last" | null
}

const MAX_MENTIONS = 64
// Folders, a name and an extension that begins with a letter. "1.5" does not match; "e.g" and "v2.x" may, but
// name no file.
const PATH = /[\p{L}\p{N}_@+.-][\p{L}\p{N}_@+./\\[\]-]{0,200}\.[\p{L}]\w{0,9}(?![\w])/gu
const PYTHON_FRAME = /^\s*File "[^"]+", line \d+/
const FRAME = /^\s*(?:at\s|#\d+\s|from \S+:\d+|\S+\.\w{1,5}:\d+)/

function mentionsIn(text: string): ReadonlyMap<string, Mention> {
  const mentions = new Map<string, Mention>()
  for (const line of text.split(/\r\n?|\n/)) {
    const frame = frameOf(line)
    for (const [raw] of line.slice(0, MAX_LINE).matchAll(PATH)) {
      const path = raw
        .replaceAll("\\", "/")
        .replace(/^\.?\//, "")
        .toLowerCase()
      const known = mentions.get(path)
      if (known === undefined && mentions.size >= MAX_MENTIONS) return mentions
      // The last of a file's frames is the one nearest to the error in a Python trace.
      if (known?.frame === "last") mentions.delete(path)
      if (known === undefined || known.frame === "last") mentions.set(path, { path, frame })
    }
  }
  return mentions
}

function frameOf(line: string): Mention["frame"] {
  if (PYTHON_FRAME.test(line)) return "last"
  return FRAME.test(line) ? "first" : null
}

/**
 * Max characters of a line that are read, because a minified line has thousands of parts that look like
 * paths.
 */
const MAX_LINE = 2_000

/**
 * The mentions whose name at least one file has, with weights: 1 in prose and for the frame nearest to the
 * error, then ½, ⅓ …
 */
function byDepth(
  mentions: readonly Mention[],
  byName: ReadonlyMap<string, readonly PathOfFile[]>,
): { readonly path: string; readonly weight: number }[] {
  const known = mentions.filter(({ path }) => byName.has(lastPart(path)))
  const inward = known.filter(({ frame }) => frame === "last").reverse()
  const outward = known.filter(({ frame }) => frame === "first")
  return known.map((mention) => {
    const frames = mention.frame === "last" ? inward : outward
    return { path: mention.path, weight: mention.frame === null ? 1 : 1 / (1 + frames.indexOf(mention)) }
  })
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

/** Number of equal parts at the ends of two paths. */
function sharedParts(path: string, other: string): number {
  const parts = path.split("/").reverse()
  const others = other.split("/").reverse()
  let count = 0
  while (count < parts.length && count < others.length && parts[count] === others[count]) count++
  return count
}
