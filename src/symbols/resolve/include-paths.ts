import { posix } from "node:path"
import type { ReadText } from "./packages.ts"

/** Maximum number of headers that an include may lead to through further includes. */
const MAX_HEADERS = 64
const MAX_DIRECTORIES = 64
const MAX_COMMANDS = 20_000

/** Places of the compilation database below a folder that contains a source file. */
const DATABASES = ["compile_commands.json", "build/compile_commands.json"]

type Command = { readonly file: string; readonly directories: readonly string[] }

/**
 * The include directories of C and C++ files, from `compile_commands.json`, and the headers that an include reaches. The
 * database has absolute paths, perhaps of another machine; the end of a path says which file of the project is meant.
 */
export class IncludePaths {
  readonly #read: ReadText
  readonly #databases = new Map<string, ReadonlyMap<string, readonly Command[]> | null>()
  readonly #directories = new Map<string, readonly string[] | null>()
  readonly #includes = new Map<string, readonly string[] | null>()

  constructor(read: ReadText) {
    this.#read = read
  }

  /** The header that an include in a source file names, then those that it includes; null if no database knows it. */
  headersOf(include: string, from: string): readonly string[] | null {
    const directories = this.#directoriesOf(from)
    if (directories === null) return null
    const first = this.#find(include, from, directories)
    if (first === null) return null
    const found = new Set([first])
    // The loop also visits the headers that it adds.
    for (const header of found) {
      for (const each of this.#includesIn(header) ?? []) {
        if (found.size >= MAX_HEADERS) return [...found]
        const inner = this.#find(each, header, directories)
        if (inner !== null) found.add(inner)
      }
    }
    return [...found]
  }

  #find(include: string, from: string, directories: readonly string[]): string | null {
    for (const directory of [posix.dirname(from), ...directories]) {
      const path = posix.join(directory, include)
      if (!path.startsWith("..") && this.#includesIn(path) !== null) return path
    }
    return null
  }

  /** The includes in a header; null if there is no such file. */
  #includesIn(path: string): readonly string[] | null {
    let includes = this.#includes.get(path)
    if (includes === undefined) {
      const text = this.#read(path)
      includes = text === null ? null : Array.from(text.matchAll(INCLUDE), ([, name]) => name!)
      this.#includes.set(path, includes)
    }
    return includes
  }

  #directoriesOf(from: string): readonly string[] | null {
    let directories = this.#directories.get(from)
    if (directories === undefined) {
      directories = this.#findDirectories(from)
      this.#directories.set(from, directories)
    }
    return directories
  }

  #findDirectories(from: string): readonly string[] | null {
    for (let folder = posix.dirname(from); ; folder = posix.dirname(folder)) {
      for (const name of DATABASES) {
        const commands = this.#database(posix.join(folder, name))?.get(posix.basename(from)) ?? []
        const own = commands.find(({ file }) => file === from || file.endsWith(`/${from}`))
        if (own === undefined) continue
        const root = own.file.slice(0, own.file.length - from.length)
        return own.directories.flatMap((path) => (path.startsWith(root) ? [path.slice(root.length)] : []))
      }
      if (folder === ".") return null
    }
  }

  /** The commands of a database by the base name of their source file; null if there is none. */
  #database(path: string): ReadonlyMap<string, readonly Command[]> | null {
    let database = this.#databases.get(path)
    if (database === undefined) {
      const commands = commandsIn(this.#read(path))
      database =
        commands === null
          ? null
          : Map.groupBy(commands.slice(0, MAX_COMMANDS), ({ file }) => posix.basename(file))
      this.#databases.set(path, database)
    }
    return database
  }
}

const INCLUDE = /^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]{1,200})[>"]/gm

function commandsIn(text: string | null): Command[] | null {
  if (text === null) return null
  try {
    const entries: unknown = JSON.parse(text)
    return Array.isArray(entries) ? entries.flatMap(commandOf) : null
  } catch {
    return null
  }
}

function commandOf(entry: unknown): Command[] {
  const { directory, file, command, arguments: words } = (entry ?? {}) as Record<string, unknown>
  if (typeof file !== "string") return []
  const base = typeof directory === "string" ? directory.replaceAll("\\", "/") : "/"
  const options = Array.isArray(words) ? words.filter((word) => typeof word === "string") : wordsOf(command)
  const directories = includeDirectories(options).map((path) => posix.resolve("/", base, path))
  return [{ file: posix.resolve("/", base, file.replaceAll("\\", "/")), directories }]
}

/** The words of a command line, in which quotes may contain spaces; none if it is no text. */
function wordsOf(command: unknown): string[] {
  if (typeof command !== "string") return []
  return (command.match(/(?:"[^"]*"|[^\s"])+/g) ?? []).map((word) => word.replaceAll('"', ""))
}

const DIRECTORY_FLAG = /^(?:-I|-isystem|-iquote|-idirafter|\/I)(.*)$/

/** The directories in the options of a compiler: `-Iinclude` and `-I include`. */
function includeDirectories(words: readonly string[]): string[] {
  return words
    .flatMap((word, at) => {
      const path = DIRECTORY_FLAG.exec(word)?.[1]
      const directory = path === "" ? words[at + 1] : path
      return directory === undefined ? [] : [directory.replaceAll("\\", "/")]
    })
    .slice(0, MAX_DIRECTORIES)
}
