import { FILE_FLAG, NOT_MAIN_FLAGS } from "../../base/index.ts"
import type { Project } from "../../index/index.ts"
import { folderOfFile } from "./map-project.ts"

/** What the map shows of a file. All but `code` can be left aside. */
export type MapFile = {
  readonly path: string
  /** Index of the file's module in `modules`. */
  readonly module: number
  readonly kind: "code" | "test" | "vendored" | "other"
  readonly lines: number
  readonly language: string
  /** 1 is the average file, 0 means unknown. */
  readonly centrality: number
  /** Time of the latest change on disk, in milliseconds since 1970. */
  readonly changed: number
  /** Number of entries of the memory about the file. */
  readonly memories: number
}

export type CodeMap = {
  /** Folders, of which small ones belong to their parents, as in `aman map`. */
  readonly modules: readonly string[]
  readonly files: readonly MapFile[]
  /** Number of files that are not listed, the smallest ones. */
  readonly left_out: number
}

const MAX_FILES = 20_000
/** A module has at least about a MAX_MODULES-th of the project, so that all of them can be drawn and read. */
const MAX_MODULES = 24

/** The files of the index and their modules, by size; null while there is no index. */
export function codeMap(project: Project, memories: ReadonlyMap<string, number>): CodeMap | null {
  const store = project.reader()?.store
  if (store === undefined) return null
  const all = store.files.sizes().sort((a, b) => b.lines - a.lines)
  // What is left aside does not decide which folders are large enough to be a module of the code.
  const byKind = Map.groupBy(all, ({ path, flags, content }) => kindOf(path, flags, content))
  const moduleOf = new Map(Array.from(byKind, ([kind, own]) => [kind, folderOfFile(own, MAX_MODULES)]))
  const modules = new Map<string, number>()
  const files = all
    .slice(0, MAX_FILES)
    .map(({ path, lines, language, mtimeMs, rank, flags, content }): MapFile => {
      const kind = kindOf(path, flags, content)
      const name = moduleOf.get(kind)!(path)
      const module = modules.get(name) ?? modules.set(name, modules.size).size - 1
      const centrality = rank === null ? 0 : 2 ** (rank / 16)
      const facts = { lines, language, centrality, changed: mtimeMs, memories: memories.get(path) ?? 0 }
      return { path, module, kind, ...facts }
    })
  return { modules: [...modules.keys()], files, left_out: all.length - files.length }
}

const NOT_OWN = FILE_FLAG.vendored | FILE_FLAG.generated | FILE_FLAG.output

/** A folder with a version in its name is a copy of a library: "pdfjs-1.4.20/". */
const COPY = /-v?\d+\.\d+[\w.]*\//

export function kindOf(path: string, flags: number, content: string): MapFile["kind"] {
  if ((flags & NOT_OWN) !== 0 || COPY.test(path)) return "vendored"
  if ((flags & FILE_FLAG.test) !== 0) return "test"
  return content === "code" && (flags & NOT_MAIN_FLAGS & ~FILE_FLAG.scripts) === 0 ? "code" : "other"
}
