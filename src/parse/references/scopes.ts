/**
 * Tells which names are bound by local variables. The query of a grammar captures scopes and the names bound in them
 * (grammars/README.md, "Scopes"), so that each language's rules are in its query. `Scopes` nests them and looks up a name
 * at an offset: in the innermost scope first, then outwards.
 */

import type { UseSource } from "./use-scan.ts"
import { codesEnd } from "./words.ts"

/** The captures that concern scopes, each with the number that stands for it in `Captures.scoping`. */
export const SCOPING = {
  block: 0,
  "block.function": 1,
  "block.class": 2,
  after: 3,
  outer: 4,
  assigned: 5,
  local: 6,
  "local.body": 7,
  "local.lower": 8,
  "local.also": 9,
  hoisted: 10,
  "hoisted.function": 11,
  "hoisted.around": 12,
  rebound: 13,
} as const

/** Number of values that `Captures.scoping` has for each capture: the number of its kind, and its two offsets. */
export const SCOPING_STEP = 3

/** False for a query that captures only the names bound in scopes: then its functions are the scopes. */
export function hasScopes(scoping: readonly number[]): boolean {
  return scoping.some((kind, at) => at % SCOPING_STEP === 0 && kind <= SCOPING["block.class"])
}

type Scope = {
  readonly start: number
  readonly end: number
  readonly kind: number
  readonly parent: Scope | null
  /** The names bound in the scope; null if there are none. */
  names: Map<string, Binding> | null
  /** Bindings that become visible where the next scope inside this one begins. */
  waiting: Binding[] | null
  /** Names of an enclosing scope to which this one assigns; null if there are none. */
  rebound: Set<string> | null
}

/** What a file defines and imports. */
type NamedSource = Pick<UseSource, "names" | "imports">

/** What a name in a scope is: a local variable, or a definition inside of a function. */
type Meaning = "local" | "inner"

/** A name in a scope. */
type Binding = {
  /** Offset from which the name is visible in its scope. */
  from: number
  /** "inner": a definition, such as a function in a function; "import": a name that an import in a function binds. */
  means: Meaning | "import"
}

/** A range whose names are looked up outside of a scope, such as the default value of a parameter in Python. */
type OuterRange = { readonly start: number; readonly end: number; readonly scope: Scope }

export class Scopes {
  readonly #scopes: Scope[] = []
  /** The scopes of the bound names, by the offset of the name; null for a name that is bound outside of all scopes. */
  readonly #bound = new Map<number, Scope | null>()
  readonly #names = new Set<string>()
  readonly #outer: OuterRange[] = []
  readonly #source: NamedSource
  #next = 0
  #current: Scope | null = null
  /** Number of imports that end before the name that is bound next. */
  #imports = 0

  constructor(text: string, scoping: readonly number[], source: NamedSource) {
    this.#source = source
    let open: OpenSpan | null = null
    let isRebound = false
    for (const at of inOrder(scoping)) {
      const [kind, start, end] = [scoping[at]!, scoping[at + 1]!, scoping[at + 2]!]
      while (open !== null && open.end <= start) open = open.parent
      if (kind < SCOPING.local) open = this.#opened(kind, start, end, open)
      else if (kind === SCOPING.rebound) isRebound = noteRebound(text.slice(start, end), open) || isRebound
      else this.#bind(kind, start, text.slice(start, end), open)
    }
    if (isRebound) this.#removeRebound(text)
  }

  /** Removes the bindings of names that a scope takes from outside although it assigns to them. */
  #removeRebound(text: string): void {
    for (const [at, scope] of this.#bound)
      if (scope?.rebound?.has(text.slice(at, codesEnd(text, at, true)))) this.#bound.delete(at)
    for (const { names, rebound } of this.#scopes) for (const name of rebound ?? []) names?.delete(name)
  }

  /** True if a name is bound at `at`. */
  isBound(at: number): boolean {
    return this.#bound.has(at)
  }

  /** Offset of the end of the scope in which the name at `at` is bound; null if it is not the name of a local variable. */
  boundUntil(at: number): number | null {
    return this.#bound.get(at)?.end ?? null
  }

  /** Offset of the end of the innermost scope around `at`; null if there is none. Offsets must not decrease. */
  scopeEnd(at: number): number | null {
    return this.#scopeAt(at)?.end ?? null
  }

  /** What a scope around `at` binds `name` to; null if none does. Offsets must not decrease from call to call. */
  meaningOf(name: string, at: number): Meaning | null {
    if (!this.#names.has(name)) return null
    let scope = this.#scopeAt(at)
    const skipped = scope === null ? null : this.#skippedAt(at)
    for (; scope !== null; scope = scope.parent) {
      const binding = scope === skipped ? undefined : scope.names?.get(name)
      if (binding !== undefined && binding.from <= at)
        return binding.means === "import" ? null : binding.means
    }
    return null
  }

  #scopeAt(at: number): Scope | null {
    while (this.#next < this.#scopes.length && this.#scopes[this.#next]!.start <= at)
      this.#current = this.#scopes[this.#next++]!
    while (this.#current !== null && this.#current.end <= at) this.#current = this.#current.parent
    return this.#current
  }

  #skippedAt(at: number): Scope | null {
    return this.#outer.find(({ start, end }) => start <= at && at < end)?.scope ?? null
  }

  #meaningAt(at: number): Binding["means"] {
    const { names, imports } = this.#source
    while (this.#imports < imports.length && imports[this.#imports]!.end <= at) this.#imports++
    const next = imports[this.#imports]
    if (next !== undefined && next.start <= at) return "import"
    return names.has(at) ? "inner" : "local"
  }

  #opened(kind: number, start: number, end: number, around: OpenSpan | null): OpenSpan {
    const outer = around === null ? null : around.scope
    if (kind > SCOPING["block.class"]) {
      if (kind === SCOPING.outer && outer !== null && this.#outer.length < MAX_OUTER)
        this.#outer.push({ start, end, scope: outer })
      return { kind, end, parent: around, scope: outer }
    }
    for (const binding of outer?.waiting ?? []) binding.from = start
    if (outer) outer.waiting = null
    const scope: Scope = { start, end, kind, parent: outer, names: null, waiting: null, rebound: null }
    this.#scopes.push(scope)
    return { kind, end, parent: around, scope }
  }

  #bind(kind: number, start: number, name: string, open: OpenSpan | null): void {
    if (kind === SCOPING["local.lower"] && UPPER.test(name)) return
    if (isAssigned(open)) return
    const scope = scopeFor(kind, open)
    if (scope === null || scope.kind === SCOPING["block.class"]) {
      this.#bound.set(start, null)
      return
    }
    const means = kind === SCOPING["local.also"] ? "local" : this.#meaningAt(start)
    const from = kind >= SCOPING.hoisted ? scope.start : visibleFrom(start, open)
    scope.names ??= new Map()
    let binding = scope.names.get(name)
    if (binding === undefined) {
      binding = { from, means }
      scope.names.set(name, binding)
      if (kind === SCOPING["local.body"]) {
        scope.waiting ??= []
        scope.waiting.push(binding)
      }
    } else {
      binding.from = Math.min(binding.from, from)
      if (kind === SCOPING["local.also"]) binding.means = "local"
    }
    if (means === "local") this.#bound.set(start, scope)
    this.#names.add(name)
  }
}

/** Records a name that the scope takes from outside. Returns true if there is a scope. */
function noteRebound(name: string, open: OpenSpan | null): boolean {
  const scope = scopeFor(SCOPING["hoisted.function"], open)
  if (scope === null) return false
  scope.rebound ??= new Set()
  scope.rebound.add(name)
  return true
}

/** Maximum number of ranges whose names are looked up outside of their scope. */
const MAX_OUTER = 200
const UPPER = /^\p{Lu}/u

/** A captured range that is open while the captures are read in order. */
type OpenSpan = {
  readonly kind: number
  readonly end: number
  readonly parent: OpenSpan | null
  /** The innermost scope: this range, or the one around it. */
  readonly scope: Scope | null
}

/** The captures in the order of their offsets, outer ones first, as indexes into `scoping`. */
function inOrder(scoping: readonly number[]): number[] {
  const order: number[] = []
  for (let at = 0; at < scoping.length; at += SCOPING_STEP) order.push(at)
  return order.sort(
    (one, other) =>
      scoping[one + 1]! - scoping[other + 1]! ||
      scoping[other + 2]! - scoping[one + 2]! ||
      scoping[one]! - scoping[other]!,
  )
}

/** True inside a pattern that assigns to variables and binds none. */
function isAssigned(open: OpenSpan | null): boolean {
  for (let span = open; span !== null && span.kind > SCOPING["block.class"]; span = span.parent)
    if (span.kind === SCOPING.assigned) return true
  return false
}

/** The scope in which a name is bound; null if it is in none. */
function scopeFor(kind: number, open: OpenSpan | null): Scope | null {
  let scope = open?.scope ?? null
  if (kind === SCOPING["hoisted.around"]) scope = scope?.parent ?? null
  if (kind === SCOPING["hoisted.function"]) while (scope?.kind === SCOPING.block) scope = scope.parent
  return scope
}

/** Offset from which a name is visible: after its declaration if one is captured inside its scope. */
function visibleFrom(start: number, open: OpenSpan | null): number {
  for (let span = open; span !== null && span.kind > SCOPING["block.class"]; span = span.parent)
    if (span.kind === SCOPING.after) return span.end
  return start
}
