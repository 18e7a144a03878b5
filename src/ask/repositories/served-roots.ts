/*
 * Several projects of one workspace, served together: their answers are merged as those of other repositories are
 * (several.ts), and each place names its root. A path that only one root has selects that root.
 */

import { existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { AmanError, type ConfigFlags, homeDir } from "../../base/index.ts"
import { type MemoryHints, memoriesAbout, memoryHints } from "../../context/index.ts"
import { ALL, belowRoot, type Project, readState, withoutLines } from "../../index/index.ts"
import type { Memory } from "../../memory/index.ts"
import type { LogAnswer, LogRequest, SymbolAnswer, SymbolRequest } from "../../symbols/index.ts"
import { parseAddress } from "../clones/address.ts"
import { newState, type RepoState } from "../clones/manifest.ts"
import type { ServedProject } from "../project/served-project.ts"
import type { Call, Source } from "../source.ts"
import { type Configured, configuredRepositories, type Repository } from "./configured.ts"
import { several } from "./several.ts"
import { isAboutOne, mergeSymbolAnswers } from "./symbol.ts"

/** Max time in ms that a question waits for the first index of all roots. */
const MAX_FIRST_INDEX_MS = 10_000

/** Calls `act` with a memory, which stays open until it returns. */
export type UseMemory = <T>(act: (memory: Memory) => Promise<T>) => Promise<T>

type RootParts = {
  readonly folder: string
  readonly project: ServedProject
  readonly withMemory: UseMemory
}
export type Root = RootParts & { readonly name: string }

export class ServedRoots {
  readonly #roots: readonly Root[]
  readonly #flags: ConfigFlags

  /** `roots`: the project of the working folder first. */
  constructor(roots: readonly RootParts[], flags: ConfigFlags) {
    const names = distinctNames(roots.map(({ folder }) => folder))
    this.#roots = roots.map((root, at) => ({ ...root, name: names[at]! }))
    this.#flags = flags
  }

  /** One line that names all roots. */
  get summary(): string {
    const [first, ...others] = this.#roots.map(({ name, folder }) => `${name} (${folder})`)
    return `several folders are served: ${first}, whose status this is, and ${others.join(", ")}`
  }

  get all(): readonly Root[] {
    return this.#roots
  }

  get projects(): readonly ServedProject[] {
    return this.#roots.map(({ project }) => project)
  }

  /** The root of this name; undefined if there is none. */
  named(name: string): Root | undefined {
    return this.#roots.find((root) => root.name === name.trim())
  }

  /**
   * The root that a question about one root means: the named one, else the only one that has all of these places, else
   * the first, of which a notice tells.
   */
  one(repository: string | undefined, places: readonly string[] = []) {
    const roots = this.#asked(repository, places)
    const [root] = roots
    const pathIn = (place: string) => this.#placeOf(place).path
    return { root: root!, pathIn, notices: roots.length > 1 ? [this.#onlyIn(root!)] : [] }
  }

  /** The history of a place, from the first root that knows it. */
  async log(
    { repository, ...request }: LogRequest & { readonly repository?: string | undefined },
    signal: AbortSignal,
  ): Promise<LogAnswer> {
    const roots = this.#asked(repository, [request.what])
    const what = this.#placeOf(request.what).path
    const { from: root, value } = await firstAnswer(roots, ({ project, withMemory }) =>
      project.log(
        { ...request, what },
        (paths, names) => withMemory((memory) => memoriesAbout(memory, paths, names)),
        signal,
      ),
    )
    return roots.length > 1 ? { ...value, notices: [...value.notices, this.#onlyIn(root)] } : value
  }

  /** The root of this name, or the only one that has all of these places; all roots if neither decides. */
  #asked(repository: string | undefined, places: readonly string[]): readonly Root[] {
    if (repository?.trim()) {
      const root = this.named(repository)
      if (root !== undefined) return [root]
      throw new AmanError("NOT_FOUND", `no folder ${JSON.stringify(repository)} is served`, {
        hint: `folders are ${this.#roots.map(({ name }) => name).join(", ")}`,
      })
    }
    const having = this.#roots.filter((root) =>
      places.every((typed) => {
        const place = this.#placeOf(typed)
        if (place.root !== null) return place.root === root
        return existsSync(join(root.folder, withoutLines(typed.split("#", 1)[0]!).path))
      }),
    )
    return places.length > 0 && having.length === 1 ? having : this.#roots
  }

  #onlyIn(root: Root): string {
    const others = this.#roots.filter(({ name }) => name !== root.name).map(({ name }) => name)
    return `only in ${root.name}; for another folder give repository: ${others.join(" or ")}`
  }

  /** All roots, as one project. */
  asProject(): Source & Pick<ServedProject, "untilIndexed" | "whyNot"> {
    return {
      ...this.source(),
      whyNot: (request, path, signal) => {
        const place = this.#placeOf(path)
        return (place.root ?? this.#roots[0]!).project.whyNot(request, place.path, signal)
      },
      untilIndexed: async (signal) => {
        await Promise.all(this.projects.map((project) => project.untilIndexed(signal)))
      },
    }
  }

  /** The questions asked of all roots, or of the one with this name. */
  source(wanted: string = ALL): Source {
    return {
      search: (request, call) => {
        const like = request.like === undefined ? null : this.#placeOf(request.like)
        const { chosen, paths } = this.#scope(wanted, request.paths)
        const asked = { ...request, paths, ...(like && { like: like.path }) }
        return this.#several(like?.root?.name ?? chosen, call, (roots) => roots.search(asked, call))
      },
      context: (request, call) => {
        const { chosen, paths } = this.#scope(wanted, request.paths)
        return this.#several(chosen, call, async (roots) => {
          const memories = this.#hints(this.#named(chosen))
          const { commits: _, ...bundle } = await roots.context({ ...request, paths }, { ...call, memories })
          return bundle
        })
      },
      grep: (question, call) => {
        const { chosen, paths } = this.#scope(wanted, question.paths)
        return this.#several(chosen, call, (roots) => roots.grep({ ...question, paths }, call))
      },
      symbol: (request, call) => {
        const named = request.name === undefined ? null : this.#placeOf(request.name)
        const scope = this.#scope(wanted, request.path === undefined ? [] : [request.path])
        const chosen = named?.root?.name ?? scope.chosen
        const asked = { ...request, path: scope.paths[0], ...(named && { name: named.path }) }
        if (isAboutOne(asked) || asked.diff !== undefined || asked.exact === true)
          return this.#symbolOfOne(this.#named(chosen), asked, call)
        return this.#several(chosen, call, (roots) => roots.symbol(asked, call))
      },
      read: async (request) => {
        const { root, path } = this.#placeOf(request.path)
        const roots = root === null ? this.#named(wanted) : [root]
        const { from, value } = await firstAnswer(roots, ({ project }) => project.read({ ...request, path }))
        return { repository: from.name, ...value }
      },
    }
  }

  /** Hints from the memories of these roots, each with the name of its root; those for all projects once. */
  #hints(roots: readonly Root[]): MemoryHints {
    return async (query, files) => {
      const hints = new Map<string, string>()
      for (const { name, withMemory } of roots) {
        const own = files.filter(({ result }) => result.repository === name)
        for (const hint of await withMemory((memory) => memoryHints(memory, query, own)))
          if (!hints.has(hint)) hints.set(hint, `${name}: ${hint}`)
      }
      return [...hints.values()]
    }
  }

  /** The answer of the first of these roots that knows the name or the file. */
  async #symbolOfOne(roots: readonly Root[], request: SymbolRequest, call?: Call): Promise<SymbolAnswer> {
    const { from, value } = await firstAnswer(roots, ({ project }) => project.symbol(request, call))
    const merged = mergeSymbolAnswers([{ repository: from, answer: value }], [], [], request)
    const notices = roots.length > 1 ? [this.#onlyIn(from)] : []
    return { ...value, ...merged, notices: [...value.notices, ...notices] }
  }

  #named(wanted: string): readonly Root[] {
    return wanted === ALL ? this.#roots : this.#roots.filter(({ name }) => name === wanted.trim())
  }

  /** The roots and filters that paths select: one root if all paths are in it. */
  #scope(wanted: string, paths: readonly string[]): { readonly chosen: string; readonly paths: string[] } {
    const places = paths.map((path) => this.#placeOf(path))
    const roots = new Set(places.map(({ root }) => root))
    const [only] = roots
    const isOne = roots.size === 1 && only !== null && only !== undefined
    return { chosen: isOne ? only.name : wanted, paths: places.map(({ path }) => path) }
  }

  /**
   * The root that a path selects, and the path in it: a path that is absolute, a file URI, or begins with the name of a
   * root, as a place without its repository may be written. `root` is null for any other path.
   */
  #placeOf(typed: string): { readonly root: Root | null; readonly path: string } {
    for (const root of this.#roots) {
      const path = belowRoot(root.folder, typed)
      if (path !== null) return { root, path }
    }
    const { path: whole } = withoutLines(typed)
    const isThere = this.#roots.some(({ folder }) => existsSync(join(folder, whole)))
    const root = isThere ? undefined : this.#roots.find(({ name }) => typed.startsWith(`${name}/`))
    return root === undefined
      ? { root: null, path: typed }
      : { root, path: typed.slice(root.name.length + 1) }
  }

  /** Calls `act` with the chosen roots as repositories, which stay open until it returns. */
  async #several<T>(
    chosen: string,
    { signal = new AbortController().signal }: Call = {},
    act: (roots: Source) => Promise<T>,
  ): Promise<T> {
    const indexed = Promise.all(this.projects.map((project) => project.untilIndexed(signal).catch(() => {})))
    await Promise.race([indexed, Bun.sleep(MAX_FIRST_INDEX_MS)])
    signal.throwIfAborted()
    const opened = new Map<string, Project>()
    const problems: string[] = []
    const withAll = async (at: number): Promise<T> => {
      const root = this.#roots[at]
      if (root === undefined)
        return await act(
          several(this.#configured(opened, problems), chosen, { open: ({ id }) => opened.get(id)! }),
        )
      let isOpen = false
      try {
        return await root.project.use((project) => {
          isOpen = true
          opened.set(root.folder, project)
          return withAll(at + 1)
        })
      } catch (error) {
        if (isOpen || !(error instanceof AmanError)) throw error
        problems.push(`${root.name} is not served: ${error.message}`)
        return await withAll(at + 1)
      }
    }
    return await withAll(0)
  }

  #configured(opened: ReadonlyMap<string, Project>, problems: readonly string[]): Configured {
    const { config, places } = configuredRepositories(this.#flags)
    const served = this.#roots.filter(({ folder }) => opened.has(folder))
    const clones = served.map(({ name, folder }) => asClone(name, folder, opened.get(folder)))
    const repositories = clones.map(({ repository }) => repository)
    const states = clones.map(({ repository, state }) => [repository.id, state] as const)
    const all = Object.fromEntries(states)
    return { config, places, repositories, states: () => all, problems }
  }
}

/** A project as if it were the clone of a repository, and the state of that clone. */
export function asClone(name: string, folder: string, project: Project | undefined) {
  const url = pathToFileURL(folder).href
  const address = parseAddress(url, { cwd: null, home: homeDir() })
  const repository: Repository = { id: folder, name, url, address, clone: folder, index: "" }
  const store = project?.reader()?.store
  const isIndexed = store !== undefined && readState(store).indexedAt !== null
  const error = "its first index is not complete: ask again shortly"
  const state: RepoState = {
    ...{ ...newState(folder), last_pull: new Date().toISOString(), last_commit: "" },
    ...(isIndexed ? {} : { error }),
  }
  return { repository, state }
}

/** The first answer that is not NOT_FOUND; the error of the first root if all are. */
async function firstAnswer<T>(
  roots: readonly Root[],
  ask: (root: Root) => Promise<T>,
): Promise<{ readonly from: Root; readonly value: T }> {
  let failure: unknown = null
  for (const from of roots) {
    try {
      return { from, value: await ask(from) }
    } catch (error) {
      if (!(error instanceof AmanError && error.code === "NOT_FOUND")) throw error
      failure ??= error
    }
  }
  throw failure
}

/** Short names of folders: the last part of each path, with the parts before it where several have the same. */
function distinctNames(folders: readonly string[]): string[] {
  const names = folders.map((folder) => basename(folder) || folder)
  return folders.map((folder, at) =>
    names.filter((name) => name === names[at]).length === 1
      ? names[at]!
      : `${basename(dirname(folder))}/${names[at]}`,
  )
}
