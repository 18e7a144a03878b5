import { namesOwners } from "../code/family.ts"
import { asMember, heirOf, USE, type Use } from "../code/use-code.ts"
import type { Budget } from "./budget.ts"
import { type Definition, keyOf } from "./definition.ts"
import { type Edge, edgeOf } from "./edge.ts"
import { FileMeanings } from "./file-meanings.ts"
import type { FileView } from "./file-view.ts"
import { mayCall } from "./is-called.ts"
import { DOUBTFUL, type Meaning } from "./resolve.ts"
import { isDeclaredNear } from "./scope.ts"
import type { SymbolGraph } from "./symbol-graph.ts"
import { isNamed, isOfOther, writtenAs } from "./written-name.ts"

/** Files whose views are read together. */
const AT_ONCE = 32
/** Of more files, those come first that lie nearest to what is asked for. */
const MOST_BY_PATH = 200

/** Packed uses and kinds of uses that take as long as a file takes in any case; measured, 2,200 files of 60 names. */
const BYTES_AS_A_FILE = 1_500
const KINDS_AS_A_FILE = 3

/** Which uses of a name are looked at: all, those by what extends or implements it, those that may be calls. */
export type Wanted = "uses" | "bases" | "calls"

/** Types that are looked for because of their constructors: a call of the one is a call of the other. */
export type Makers = ReadonlyMap<Definition, Definition>

type WalkOptions = {
  readonly wanted: Wanted
  readonly makers: Makers
  /** Of bases: those of these types alone. */
  readonly heirs?: ReadonlySet<string> | null
}

/** Looks at the files that use a name, one after the other, as far as it is told; goes on where it stopped. */
export class ReferenceWalk {
  readonly edges: Edge[] = []
  readonly unresolved: Edge[] = []
  readonly #graph: SymbolGraph
  readonly #wanted: Wanted
  readonly #makers: Makers
  readonly #heirs: ReadonlySet<string> | null
  readonly #name: string
  readonly #all: readonly Definition[]
  readonly #targets: ReadonlyMap<string, Definition>
  readonly #homes: ReadonlySet<number>
  readonly #families: ReadonlySet<string>
  #ids: readonly number[]
  #isOrdered = false
  #at = 0

  constructor(
    graph: SymbolGraph,
    name: string,
    targets: readonly Definition[],
    { wanted, makers, heirs = null }: WalkOptions,
  ) {
    this.#graph = graph
    this.#wanted = wanted
    this.#makers = makers
    this.#heirs = heirs
    this.#name = name
    this.#all = targets
    this.#targets = new Map(targets.map((target) => [keyOf(target), target]))
    this.#homes = new Set(targets.map(({ file }) => file.id))
    this.#families = new Set(targets.map(({ file }) => file.family))
    this.#ids = wanted === "bases" ? graph.idsExtending(name, heirs) : graph.idsUsing(writtenAs(name))
  }

  /** Files that use the name and were not looked at. */
  get unseen(): number {
    return this.#ids.length - this.#at
  }

  /**
   * Until there are so many edges, the budget is spent, or nothing is left; never ends for files before `from` edges.
   */
  go(enough: number, budget: Budget, from = -1): void {
    const isDone = () =>
      this.edges.length >= enough || budget.isLate || (budget.isSpent && this.edges.length > from)
    while (this.unseen > 0 && !isDone()) {
      const ids = this.#inOrder().slice(this.#at, this.#at + AT_ONCE)
      const views = new Map(this.#graph.files(ids).map((file) => [file.id, file]))
      for (const id of ids) {
        if (isDone()) return
        const file = views.get(id)
        const work = file && this.#families.has(file.family) ? this.#look(file, budget) : 1
        this.#at++
        budget.spend(work)
      }
    }
  }

  /** Of a page that others fill nobody asks in which order these would come. */
  #inOrder(): readonly number[] {
    if (!this.#isOrdered) {
      const near = this.#ids.length > MOST_BY_PATH ? this.#all.map(({ file }) => file.path) : []
      this.#ids = this.#graph.inOrder(this.#ids, near)
      this.#isOrdered = true
    }
    return this.#ids
  }

  /** Answers what that cost, the same at every time, whatever is known already. */
  #look(file: FileView, budget: Budget): number {
    const { types } = this.#graph
    const candidates = this.#graph.candidatesOf(this.#name)
    const meanings = new FileMeanings(file, candidates, types)
    for (const use of this.#usesIn(file)) {
      if (isOfOther(this.#name, use)) continue
      // One file may hold more than there is time for.
      if (budget.isLate) this.#leave(use, file)
      else this.#weigh(use, file, meanings)
    }
    return 1 + file.packedBytes / BYTES_AS_A_FILE + meanings.kinds / KINDS_AS_A_FILE
  }

  #weigh(use: Use, file: FileView, meanings: FileMeanings): void {
    const asked = asMember(use)
    // What extends a type means one mostly, and of what does not nobody asks what it is.
    const isBase = this.#wanted === "bases"
    const isUnsure = !isBase && this.#mightBeMeant(asked, file)
    if (!isBase && !isUnsure && !meanings.mayBe(asked, this.#all)) return
    const best = meanings.of(asked)
    const mine = this.#mineOf(best)
    if (mine && mine.confidence >= DOUBTFUL) this.#add(use, file, mine)
    else if (isUnsure && (best[0]?.confidence ?? 0) < DOUBTFUL)
      this.unresolved.push(edgeOf(use, file, { confidence: mine?.confidence ?? 0, target: null }))
  }

  /** What is not weighed is told apart, not dropped. */
  #leave(use: Use, file: FileView): void {
    if (this.#wanted !== "bases") this.unresolved.push(edgeOf(use, file, { confidence: 0, target: null }))
  }

  #usesIn(file: FileView): readonly Use[] {
    if (this.#wanted === "bases") return this.#basesIn(file)
    const uses = file.usesOf(writtenAs(this.#name))
    return this.#wanted === "uses" ? uses : uses.filter(({ flags }) => mayCall(flags, file.family))
  }

  #basesIn(file: FileView): readonly Use[] {
    const heirs = this.#heirs
    const uses = file.inheritingOf(this.#name)
    return heirs === null ? uses : uses.filter((use) => heirs.has(heirOf(use) ?? ""))
  }

  #mineOf(meanings: readonly Meaning[]): Meaning | null {
    for (const { definition, confidence } of meanings) {
      const target = this.#homes.has(definition.file.id) ? this.#targets.get(keyOf(definition)) : undefined
      if (target) return { definition: target, confidence }
    }
    return null
  }

  #add(use: Use, file: FileView, { definition, confidence }: Meaning): void {
    const maker = this.#makers.get(definition)
    if (!maker) this.edges.push(edgeOf(use, file, { confidence, target: definition }))
    else if ((use.flags & USE.call) !== 0)
      this.edges.push(edgeOf(use, file, { confidence, target: maker, name: use.name }))
  }

  /**
   * A member, or a name that stands alone, for what belongs to something; else the latter only. Not what binds a local
   * or is one, nor a member of what is declared to be of another type.
   */
  #mightBeMeant(use: Use, file: FileView): boolean {
    const { flags, qualifier } = use
    if ((flags & (USE.declares | USE.member)) === USE.declares) return false
    const isMember = (flags & USE.member) !== 0
    if (!isMember && isDeclaredNear(use, file)) return false
    const { types } = this.#graph
    if (isMember && types.isSaid(use, file) && types.declared(use, file) !== null) return false
    // `shop.open()` may be the module's.
    const isModules = isMember && isNamed(qualifier) && file.modulesOf(qualifier).length > 0
    const isBare = !namesOwners(file.family)
    for (const { symbol } of this.#targets.values())
      if (symbol.owner === null ? !isMember || isModules : isMember || flags === 0 || isBare) return true
    return false
  }
}
