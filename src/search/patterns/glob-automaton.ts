import { ANY, type CharSet, DEEP, FOLDERS, SET, STAR } from "../../base/wildcards.ts"

/**
 * A node of a parsed glob: either the number of an operation of `wildcards.ts`, or an operation that `wildcards.ts`
 * lacks.
 */
export type GlobNode =
  | number
  /** Any text, including "/". */
  | { readonly kind: "deep" }
  | { readonly kind: "choice"; readonly choices: Choices }
  | { readonly kind: "repeat"; readonly choices: Choices; readonly orNone: boolean }
  /** Any text without "/" that matches none of the choices. */
  | { readonly kind: "not"; readonly choices: Choices }

type Choices = readonly (readonly GlobNode[])[]

/** Continues with each of the instructions in `to`, without reading a character. */
type Jump = { readonly kind: "jump"; readonly to: readonly number[] }
type Not = { readonly kind: "not"; readonly inner: GlobAutomaton }
type Instruction = number | Jump | Not

const SLASH = 47
/** Reads the remaining text, whatever it is. */
const REST = DEEP

/**
 * A nondeterministic automaton. All its states are simulated at once (Thompson 1968), so that matching takes |glob| ×
 * |path| steps. Each "not" has its own automaton, which runs from every position where the "not" can begin; so one
 * "not" multiplies the steps by the length of a folder's name.
 */
export class GlobAutomaton {
  readonly #instructions: Instruction[] = []
  readonly #sets: readonly CharSet[]

  constructor(nodes: readonly GlobNode[], sets: readonly CharSet[]) {
    this.#sets = sets
    this.#sequence(nodes)
  }

  matches(text: string): boolean {
    const run = this.start()
    for (let i = 0; i < text.length; i++) {
      if (!run.isAlive) return false
      run.step(text.charCodeAt(i))
    }
    return run.isMatch
  }

  start(): GlobRun {
    return new GlobRun(this.#instructions, this.#sets)
  }

  #sequence(nodes: readonly GlobNode[]): void {
    for (const node of nodes) this.#node(node)
  }

  #node(node: GlobNode): void {
    if (typeof node === "number") {
      if (node === FOLDERS) this.#choice([[], [REST, SLASH]])
      else this.#instructions.push(node)
    } else if (node.kind === "deep") this.#instructions.push(REST)
    else if (node.kind === "choice") this.#choice(node.choices)
    else if (node.kind === "not") this.#instructions.push({ kind: "not", inner: this.#inner(node.choices) })
    else this.#repeat(node.choices, node.orNone)
  }

  #inner(choices: Choices): GlobAutomaton {
    return new GlobAutomaton([{ kind: "choice", choices }], this.#sets)
  }

  #choice(choices: Choices): void {
    const split = this.#reserve()
    const starts: number[] = []
    const ends: number[] = []
    for (const choice of choices) {
      starts.push(this.#instructions.length)
      this.#sequence(choice)
      ends.push(this.#reserve())
    }
    this.#instructions[split] = { kind: "jump", to: starts }
    const next = this.#instructions.length
    for (const end of ends) this.#instructions[end] = { kind: "jump", to: [next] }
  }

  #repeat(choices: Choices, orNone: boolean): void {
    const entry = this.#reserve()
    const start = this.#instructions.length
    this.#choice(choices)
    const again = this.#reserve()
    const next = this.#instructions.length
    this.#instructions[entry] = { kind: "jump", to: orNone ? [start, next] : [start] }
    this.#instructions[again] = { kind: "jump", to: [start, next] }
  }

  #reserve(): number {
    return this.#instructions.push({ kind: "jump", to: [] }) - 1
  }
}

type Thread = { readonly next: number; readonly run: GlobRun }

/** The state of matching one text. */
class GlobRun {
  readonly #instructions: readonly Instruction[]
  readonly #sets: readonly CharSet[]
  /** For each instruction, the number of the step in which it was last reached. */
  readonly #reachedIn: Int32Array
  /** Positions of the instructions that read the next character. */
  #states: number[] = []
  /** The "not" groups that have begun, each with the position of the instruction after the group. */
  #threads: Thread[] = []
  /** Work list of `#reach`; a field so that it is allocated only once. */
  #pending: number[] = []
  #step = 1

  constructor(instructions: readonly Instruction[], sets: readonly CharSet[]) {
    this.#instructions = instructions
    this.#sets = sets
    this.#reachedIn = new Int32Array(instructions.length + 1)
    this.#reach(0)
  }

  get isAlive(): boolean {
    return this.#states.length > 0 || this.#threads.length > 0
  }

  get isMatch(): boolean {
    return this.#reachedIn[this.#instructions.length] === this.#step
  }

  step(code: number): void {
    const states = this.#states
    const threads = this.#threads
    this.#states = []
    this.#threads = []
    this.#step++
    for (const at of states) this.#advance(at, code)
    if (code === SLASH) return
    for (const thread of threads) {
      thread.run.step(code)
      this.#threads.push(thread)
      if (!thread.run.isMatch) this.#reach(thread.next)
    }
  }

  #advance(at: number, code: number): void {
    const instruction = this.#instructions[at]
    if (typeof instruction !== "number") return
    if (instruction === REST || (instruction === STAR && code !== SLASH)) this.#reach(at)
    else if (instruction < ANY ? instruction === code : this.#isIn(instruction, code)) this.#reach(at + 1)
  }

  #isIn(instruction: number, code: number): boolean {
    if (instruction === ANY) return code !== SLASH
    return instruction >= SET && this.#sets[instruction - SET]!.has(code)
  }

  /** Adds an instruction and all instructions that can be reached from it without reading a character. */
  #reach(first: number): void {
    const pending = this.#pending
    pending.push(first)
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (this.#reachedIn[at] === this.#step) continue
      this.#reachedIn[at] = this.#step
      const instruction = this.#instructions[at]
      if (typeof instruction === "number") {
        this.#states.push(at)
        if (instruction === REST || instruction === STAR) pending.push(at + 1)
      } else if (instruction?.kind === "jump") pending.push(...instruction.to)
      else if (instruction?.kind === "not" && !this.#spawn(instruction, at + 1).isMatch) pending.push(at + 1)
    }
  }

  #spawn({ inner }: Not, next: number): GlobRun {
    const run = inner.start()
    this.#threads.push({ next, run })
    return run
  }
}
