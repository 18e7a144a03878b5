import { importsNames, USE, type Use } from "../parse/index.ts"
import { isNamed, isType, type SymbolDefinition } from "./definition.ts"
import { AROUND, type FileView } from "./file-view.ts"
import type { SymbolGraph } from "./symbol-graph.ts"

/**
 * Members that a value has whatever its type is, by language family. Families without an entry have too many of them, such
 * as extensions and traits of libraries, so that a missing member says nothing there.
 */
const OF_EVERY_VALUE: Readonly<Record<string, RegExp>> = {
  js: /^(?:toString|toLocaleString|valueOf|hasOwnProperty|isPrototypeOf|constructor|then|catch|finally|call|apply|bind)$/,
  python: /^__\w+__$/,
  go: /^$/,
  php: /^__\w+$/,
}

/** A member with one of these names answers for every name. */
const ANY_NAME = ["__getattr__", "__getattribute__", "__call", "__get", "__callStatic"]

/** Names for the project's own globals. */
const OWN_GLOBALS = /^(?:this|window|globalThis|global|self|exports|module|root|jQuery|\$)$/

/** Types whose values may be of any other. */
const ANY_TYPE = /^(?:any|unknown|object|mixed|dynamic|id|var|auto|Any|Object|T|[A-Z]\d?)$/

/** Bases without members of their own. */
const PLAIN_BASES = /^(?:object|Object|ABC|Generic|Protocol|Any|any)$/

/**
 * Tells whether a value can be of a type that has one of the targets: not if it comes from a library, and, from the members
 * that code calls on it, after `thread.join()` and `thread.start()` not of a type without `join`.
 */
export class Receivers {
  readonly #graph: SymbolGraph
  /** For each target the type that has it, with its bases and heirs; null if one may have members that are not known. */
  readonly #owners: readonly (ReadonlySet<string> | null)[]
  readonly #called = new WeakMap<FileView, Map<string, ReadonlySet<string>>>()
  readonly #have = new Map<string, readonly boolean[]>()

  constructor(graph: SymbolGraph, targets: readonly SymbolDefinition[]) {
    this.#graph = graph
    this.#owners = targets.map((target) => this.#typesWith(target))
  }

  /**
   * False if the value before this member comes from a library, or if no type with a target has the other members that are
   * called on it.
   */
  mayHaveMember(use: Use, file: FileView): boolean {
    const every = OF_EVERY_VALUE[file.family]
    const path = pathBefore(use)
    if (path === null) return true
    if (this.#isOfLibrary(path, use, file)) return false
    if (every === undefined || this.#owners.includes(null)) return true
    const called = [...this.#calledOn(path, use, file)].filter(
      (name) => name !== use.name && !every.test(name),
    )
    const have = called.slice(0, 20).map((name) => this.#haveMember(name))
    return this.#owners.some((_, at) => have.every((each) => each[at]!))
  }

  /** True if the first name of a path leads out of the project, or if a local has the type or the constructor of a library. */
  #isOfLibrary(path: string, { name: member, flags, line }: Use, file: FileView): boolean {
    const { names } = this.#graph.types
    const head = path.split(".", 1)[0]!
    // A name that nothing in the project defines or imports is one of the surroundings, such as `cy` in a test of Cypress.
    const isUnknown = (name: string) =>
      importsNames(file.family) &&
      names.global(name, file).definitions.length + file.modulesOf(name).length === 0
    const leadsOut = (name: string) => names.member(name, member, file).end === "outside" || isUnknown(name)
    if ((flags & USE.local) === 0) return !OWN_GLOBALS.test(head) && leadsOut(head)
    const bound = path === head ? file.boundBefore(head, line)?.qualifier : undefined
    const [, module, type] = /^:(?:([\w$]+)[./])?([\w$]+)$/.exec(bound ?? "") ?? []
    if (type !== undefined && !ANY_TYPE.test(type))
      return names.type(type, module ?? null, file, line).end === "outside"
    const [, maker] = /^([\w$]+)(?:\.[\w$.]*)?(?<=\b\p{Lu}[\w$]*)\(\)$/u.exec(bound ?? "") ?? []
    return maker !== undefined && leadsOut(maker)
  }

  #typesWith({ symbol: { owner }, file }: SymbolDefinition): ReadonlySet<string> | null {
    if (owner === null) return null
    const { types } = this.#graph
    const lineage = types.lineageOf(owner, file)
    const isKnown = (type: string) =>
      PLAIN_BASES.test(type) ||
      this.#graph.definitionsOf(type).some(({ symbol }) => isType(symbol) && symbol.kind !== "type")
    if (![owner, ...lineage].every(isKnown)) return null
    const all = new Set([owner, ...lineage, ...types.heirsOf(owner)])
    const answersAll = ANY_NAME.some((name) => this.#isMemberOf(name, all))
    return answersAll ? null : all
  }

  #isMemberOf(name: string, types: ReadonlySet<string>): boolean {
    return this.#graph
      .definitionsOf(name)
      .some(({ symbol }) => symbol.owner !== null && types.has(symbol.owner))
  }

  /** For each target, true if its types have a member of this name. */
  #haveMember(name: string): readonly boolean[] {
    let have = this.#have.get(name)
    if (have === undefined) {
      have = this.#owners.map((types) => types === null || this.#isMemberOf(name, types))
      this.#have.set(name, have)
    }
    return have
  }

  /** Names of the members called on a value in the function around a use, while the value is bound as it is there. */
  #calledOn(path: string, { line }: Use, file: FileView): ReadonlySet<string> {
    const head = path.split(".", 1)[0]!
    const bound = file.boundBefore(head, line)
    const around = file.outline.innermost(line, AROUND.function)
    const key = `${around} ${bound?.line} ${path}`
    const known = this.#called.get(file) ?? new Map<string, ReadonlySet<string>>()
    this.#called.set(file, known)
    let called = known.get(key)
    if (called === undefined) {
      const { startLine, endLine } =
        around < 0 ? { startLine: 1, endLine: Number.MAX_SAFE_INTEGER } : file.outline.at(around)
      const uses = file.usesWithin(startLine, endLine, isMemberCall)
      called = new Set(
        uses.flatMap((use) =>
          pathBefore(use) === path && file.boundBefore(head, use.line) === bound ? [use.name] : [],
        ),
      )
      known.set(key, called)
    }
    return called
  }
}

function isMemberCall(flags: number): boolean {
  return (flags & MEMBER_CALL) === MEMBER_CALL
}

const MEMBER_CALL = USE.member | USE.call

/** The path of names before a member, such as `this.token`; null if it is no such path. */
function pathBefore({ flags, path, qualifier }: Use): string | null {
  if ((flags & USE.member) === 0) return null
  const before = path ?? (isNamed(qualifier) ? qualifier : null)
  return before !== null && /^[\w$.]+$/.test(before) ? before : null
}
