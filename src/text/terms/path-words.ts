import { termOf } from "./abbreviations.ts"
import { words } from "./identifiers.ts"

export type PathWords = {
  /** Terms of the file name without its last extension, without duplicates. */
  readonly stem: readonly string[]
  /** Terms of the innermost folder, without duplicates. */
  readonly folder: readonly string[]
  /** Terms of all folders and the stem, each once. */
  readonly all: readonly string[]
}

/** The words of a relative path, as terms. */
export function pathWords(path: string): PathWords {
  return wordsWith(path, new Map())
}

/** Cache of the terms of folders, by path of the folder. */
export type FolderWords = Map<string, { readonly last: readonly string[]; readonly all: readonly string[] }>

/** The terms of many paths. The terms of a folder are computed once for all files in it. */
export function pathWordsOf(paths: readonly string[], folders: FolderWords = new Map()): PathWords[] {
  return paths.map((path) => wordsWith(path, folders))
}

function wordsWith(path: string, folders: FolderWords): PathWords {
  const slash = path.lastIndexOf("/")
  const stem = termsOf(stemName(path.slice(slash + 1)))
  const { last, all } = folderWords(slash < 0 ? "" : path.slice(0, slash), folders)
  return { stem, folder: last, all: [...new Set([...all, ...stem])] }
}

function folderWords(path: string, folders: FolderWords): NonNullable<ReturnType<FolderWords["get"]>> {
  if (path === "") return { last: [], all: [] }
  const cached = folders.get(path)
  if (cached !== undefined) return cached
  const slash = path.lastIndexOf("/")
  const last = termsOf(path.slice(slash + 1))
  const outer = folderWords(slash < 0 ? "" : path.slice(0, slash), folders)
  const terms = { last, all: [...outer.all, ...last] }
  folders.set(path, terms)
  return terms
}

/** The name of a file without its last extension: "chunk.test" for "chunk.test.ts", ".env" for ".env". */
export function stemName(name: string): string {
  const dot = name.lastIndexOf(".")
  return dot > 0 ? name.slice(0, dot) : name
}

function termsOf(text: string): string[] {
  return [...new Set(words(text).map(termOf))]
}
