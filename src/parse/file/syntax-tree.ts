import type * as TreeSitter from "web-tree-sitter"
import { grammarPaths, runtimePath } from "../../../grammars/assets.ts"
import { messageOf } from "../../base/index.ts"
import { packFile } from "../languages/grammar-packs.ts"
import type { Grammar } from "../languages/languages.ts"
import { isClosing, isOpening } from "../references/words.ts"
import { isBounded, MAX_STEPS, STEPS_LEFT, withBoundedWork } from "./bounded-work.ts"

/** The reason why there is no syntax tree, as a short phrase. */
export type NoTree = { readonly reason: string }

// web-tree-sitter takes at most 10 KB of UTF-16 at a time.
const READ_CHARS = 5000
const REREAD_CHARS = 128
// If error nodes cover less than this share of a file, it is not parsed a second time, because that takes longer than
// the few definitions it could find are worth.
const MINOR_ERRORS = 0.02

let treeSitter: typeof TreeSitter | undefined
let parser: TreeSitter.Parser | undefined
/** What traps left behind. It is never collected, because web-tree-sitter would then free it in the broken memory. */
const abandoned: unknown[] = []

/**
 * Parses a text and passes the root of the tree to `use`. The tree is deleted when `use` returns, because WebAssembly
 * memory is not garbage-collected. Parser and query call `isLate` regularly and stop once it returns true, because of
 * time or memory; the file then has no tree.
 */
export async function withSyntaxTree<Result>(
  grammar: Grammar,
  text: string,
  timeoutMs: number,
  use: (root: TreeSitter.Node, isLate: () => boolean) => Result | NoTree,
): Promise<Result | NoTree> {
  treeSitter = await startRuntime()
  const isOver = workLimit(timeoutMs)
  const mostBytes = Math.max(runtimeBytes(), ORDINARY_BYTES, text.length * BYTES_PER_CHARACTER)
  let stopped: NoTree | null = null
  const isLate = () => {
    if (isOver()) stopped ??= tooLong(timeoutMs)
    else if (runtimeBytes() > mostBytes) stopped ??= TOO_MUCH_MEMORY
    return stopped !== null
  }
  let tree: TreeSitter.Tree | null = null
  try {
    parser ??= new treeSitter.Parser()
    parser.setLanguage(grammar.language)
    let readable = rewritten(grammar, text)
    tree = parse(parser, readable, isLate)
    const whole =
      grammar.hasConditions && tree?.rootNode.hasError ? withoutBrokenBranches(readable) : readable
    if (whole !== readable) {
      tree?.delete()
      readable = whole
      tree = parse(parser, readable, isLate)
    }
    tree &&= withoutStumbles(parser, grammar, tree, readable, isLate)
    const result = tree && use(tree.rootNode, isLate)
    return result && stopped === null ? result : (stopped ?? tooLong(timeoutMs))
  } catch (error) {
    // A trap leaves the memory of the module in an unknown state.
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) abandoned.push(parser, tree)
    parser = undefined
    // A parse that was stopped while it used gigabytes may fail when it frees them. The reason is then the time limit.
    return stopped ?? { reason: failureOf(error) }
  } finally {
    if (!isParserBroken()) tree?.delete()
  }
}

/** Parses the text; null if that takes too long. */
function parse(parser: TreeSitter.Parser, text: string, isLate: () => boolean): TreeSitter.Tree | null {
  const tree = parser.parse(reader(text, isLate), null, { progressCallback: unlessLate(isLate) })
  // Without the reset, the next parse would continue this one.
  if (!tree) parser.reset()
  return tree
}

/** Returns `isLate` with a side effect: until it is true, each call gives the grammar new steps. */
function unlessLate(isLate: () => boolean): () => boolean {
  refillSteps()
  return () => {
    const late = isLate()
    if (!late) refillSteps()
    return late
  }
}

/**
 * Maximum WebAssembly memory of the parser for an ordinary file, and for each character of a large one. C takes up to 60
 * bytes for each. A file in another language than its name says makes the parser follow so many alternatives that it
 * would take gigabytes.
 */
const ORDINARY_BYTES = 256 << 20
const BYTES_PER_CHARACTER = 64
const TOO_MUCH_MEMORY: NoTree = { reason: "parsing took too much memory" }

function tooLong(timeoutMs: number): NoTree {
  return { reason: `parsing took longer than ${timeoutMs} ms` }
}

/** The message with which emscripten aborts when its memory is full. */
const OUT_OF_MEMORY = /^Aborted\(/
/**
 * Matches the error of the instruction "unreachable", with which a grammar ends after too many steps
 * (see bounded-work.ts).
 */
const UNREACHABLE = /^unreachable/i

function failureOf(error: unknown): string {
  const message = messageOf(error)
  if (OUT_OF_MEMORY.test(message)) return TOO_MUCH_MEMORY.reason
  if (error instanceof WebAssembly.RuntimeError && UNREACHABLE.test(message))
    return "the grammar fails on this text"
  return `the parser failed: ${message}`
}

/** Replaces macros that the grammar does not know by other words of the same length, so that offsets stay the same. */
function rewritten({ rewrites }: Grammar, text: string): string {
  return rewrites.reduce(
    (current, { pattern, as }) =>
      current.replace(pattern, (found, ...groups) =>
        filled(
          as.replace(/\$(\d)/g, (_, group) => String(groups[group - 1])),
          found,
        ),
      ),
    text,
  )
}

/** The text `as` with blanks for the rest of `found`. Returns `found` if it is too short or `as` would hide a line end. */
function filled(as: string, found: string): string {
  if (as.length > found.length || found.slice(0, as.length).includes("\n")) return found
  return as + found.slice(as.length).replace(/[^\r\n]/g, " ")
}

/**
 * Parses a range of the text in another language. Offsets in the tree are those of the whole text. Null if it takes too
 * long.
 */
export function parseRange(
  grammar: Grammar,
  text: string,
  range: TreeSitter.Node,
  isLate: () => boolean,
): TreeSitter.Tree | null {
  if (!parser) return null
  parser.setLanguage(grammar.language)
  const { startIndex, endIndex, startPosition, endPosition } = range
  const includedRanges = [{ startIndex, endIndex, startPosition, endPosition }]
  const tree = parser.parse(reader(text, isLate), null, {
    progressCallback: unlessLate(isLate),
    includedRanges,
  })
  if (!tree) parser.reset()
  return tree
}

/**
 * Parses a second time, with the text that the grammar cannot parse (`stumbles`) replaced, if errors take more than a
 * small share of the text. Returns the tree in which they take fewer characters.
 */
function withoutStumbles(
  parser: TreeSitter.Parser,
  grammar: Grammar,
  tree: TreeSitter.Tree,
  text: string,
  isLate: () => boolean,
): TreeSitter.Tree {
  const { stumbles } = grammar
  if (!stumbles || !tree.rootNode.hasError) return tree
  const errors = errorChars(tree.rootNode, isLate)
  if (errors < text.length * MINOR_ERRORS) return tree
  // The replacement has the same length, so that offsets stay the same.
  const replaced = text.replace(stumbles.pattern, (found) => filled(stumbles.as, found))
  const second = replaced === text ? null : parse(parser, replaced, isLate)
  if (!second) return tree
  const isBetter = errorChars(second.rootNode, isLate) < errors
  const [kept, other] = isBetter ? [second, tree] : [tree, second]
  other.delete()
  return kept
}

/**
 * Returns the function through which the parser reads the text piece by piece. When the scanner of a grammar looks back
 * (Scala's asks for the column of most tokens), it gets a small piece; web-tree-sitter's own function copies 10 KB each
 * time, which halves the speed for Scala. After the time limit, the function returns no more text, because a scanner
 * that reads the rest of the file again for every character never checks the limit itself.
 */
function reader(text: string, isLate: () => boolean): (index: number) => string {
  let expected = 0
  return (index) => {
    const chars = index === expected ? READ_CHARS : REREAD_CHARS
    expected = index + chars
    if (isLate()) return ""
    // At the end of the text there is no progress, even if the scanner asks for more of it.
    if (index < text.length) refillSteps()
    return text.slice(index, expected)
  }
}

/** True after a trap in WebAssembly. Later parses in this thread may then fail as well. */
export function isParserBroken(): boolean {
  return abandoned.length > 0
}

/** Number of characters in error nodes; too low if the time runs out. */
export function errorChars(root: TreeSitter.Node, isLate: () => boolean): number {
  return errorSizes(root, isLate).reduce((sum, chars) => sum + chars, 0)
}

/**
 * Lengths of the error nodes in characters; some are missing if the time runs out. Only nodes that contain an error are
 * visited, whereas a query for errors would visit every node.
 */
export function errorSizes(root: TreeSitter.Node, isLate: () => boolean): number[] {
  const sizes: number[] = []
  const open = [root]
  for (let node = open.pop(); node !== undefined && !isLate(); node = open.pop()) {
    if (!node.hasError) continue
    if (node.isError) sizes.push(node.endIndex - node.startIndex)
    else for (const child of node.children) open.push(child)
  }
  return sizes
}

/**
 * Returns a function that is true once this thread has used more than `ms` milliseconds of processor time from now.
 * Time in which the process was stopped or the machine slept does not count, because the file would then be left
 * without a syntax tree until it changes.
 */
export function workLimit(ms: number): () => boolean {
  const deadline = performance.now() + ms
  const before = workedMs()
  // The clock is read first, because that is cheaper, and the processor time of a thread is never more than the elapsed
  // time.
  return () => performance.now() > deadline && workedMs() - before > ms
}

/**
 * Processor time of this thread in ms; elapsed time if the runtime cannot measure it (Bun before 1.4). On Linux and
 * Windows, Bun measures the thread. On macOS this is not verified: if Bun measures the whole process there, the limit
 * is reached too early, but not earlier than by elapsed time.
 */
function workedMs(): number {
  const tell: typeof process.threadCpuUsage | undefined = process.threadCpuUsage
  if (tell === undefined) return performance.now()
  const { user, system } = tell.call(process)
  return (user + system) / 1000
}

/** A branch of a conditional group, that is, the text between two of its directives. */
type Branch = { readonly start: number; end: number; depth: number; isBroken: boolean }

type ConditionalGroup = {
  /** Name of the directive that opens the group, such as `#if`. */
  readonly head: string
  readonly branches: Branch[]
  /** The directives of the group, as pairs of offsets. */
  readonly directives: [start: number, end: number][]
}

const DIRECTIVE = /^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?:[^\n\\]|\\[\s\S])*/gm

/**
 * Makes C code with conditional compilation parseable. If a branch opens a bracket that it does not close, no grammar
 * can parse the file. Then `#if` and the other directives of the group are replaced by blanks, and of several branches
 * that open the same brackets only the first is kept. Offsets and rows stay the same. A text without such branches is
 * returned unchanged.
 */
export function withoutBrokenBranches(text: string): string {
  const blank: [start: number, end: number][] = []
  const open: ConditionalGroup[] = []
  let at = 0
  const read = (end: number) => {
    const branch = open.at(-1)?.branches.at(-1)
    if (branch !== undefined) addBrackets(branch, text, at, end)
  }
  for (const match of text.matchAll(DIRECTIVE)) {
    const word = match[1]!
    const start = match.index
    const end = start + match[0].length
    read(start)
    at = end
    if (word.startsWith("if")) {
      open.push({ head: match[0], branches: [branchAt(end)], directives: [[start, end]] })
      continue
    }
    const group = open.at(-1)
    if (group === undefined) continue
    group.branches.at(-1)!.end = start
    group.directives.push([start, end])
    if (word !== "endif") {
      group.branches.push(branchAt(end))
      continue
    }
    open.pop()
    const kept = closeGroup(group, blank)
    const outer = open.at(-1)?.branches.at(-1)
    if (outer !== undefined && kept !== null) {
      outer.depth += kept.depth
      outer.isBroken ||= outer.depth < 0
    }
  }
  return blank.length === 0 ? text : blanked(text, blank)
}

function branchAt(start: number): Branch {
  return { start, end: start, depth: 0, isBroken: false }
}

/**
 * Adds to `blank` the parts of a group that must be replaced by blanks. Returns the branch that is kept; null if all
 * branches are kept.
 */
function closeGroup(
  { head, branches, directives }: ConditionalGroup,
  blank: [number, number][],
): Branch | null {
  const isBroken = branches.some((branch) => branch.isBroken || branch.depth !== 0)
  if (!isBroken || C_PLUS_PLUS.test(head)) return null
  const [first] = branches
  const isSame = branches.every(({ depth }) => depth === first!.depth)
  const kept = isSame && NEVER.test(head) ? branches.at(-1)! : first!
  blank.push(...directives)
  if (isSame) for (const each of branches) if (each !== kept) blank.push([each.start, each.end])
  return isSame ? kept : { ...first!, depth: branches.reduce((sum, { depth }) => sum + depth, 0) }
}

/** Matches the condition of the directives around `extern "C" {`, which the grammar can parse. */
const C_PLUS_PLUS = /__cplusplus/
const NEVER = /#[ \t]*if[ \t]+0\b/

const SKIPPED = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[()[\]{}]/g

function addBrackets(branch: Branch, text: string, from: number, to: number): void {
  for (const [found] of text.slice(from, to).matchAll(SKIPPED)) {
    const code = found.charCodeAt(0)
    if (isOpening(code)) branch.depth++
    else if (isClosing(code) && --branch.depth < 0) branch.isBroken = true
  }
}

function blanked(text: string, spans: [number, number][]): string {
  let result = ""
  let at = 0
  for (const [start, end] of spans.toSorted((one, other) => one[0] - other[0])) {
    if (end <= at) continue
    const from = Math.max(at, start)
    result += text.slice(at, from) + text.slice(from, end).replace(/[^\r\n]/g, " ")
    at = end
  }
  return result + text.slice(at)
}

type Instantiated = (instance: WebAssembly.Instance, module: WebAssembly.Module) => void

type Module = {
  instantiateWasm?: (imports: Bun.WebAssembly.Imports, done: Instantiated) => void
  wasmMemory?: WebAssembly.Memory
  HEAPU8?: Uint8Array
  readonly printErr: (text: string) => void
}

/** The options with which the module is started. Emscripten adds the module's current memory to them. */
const module: Module = {
  // Emscripten must print nothing, because the error that is thrown contains the same text.
  printErr: () => {},
}

const PAGE_BYTES = 64 * 1024
/** Initial size of the memory in bytes, fixed when the module was linked. */
const FIRST_BYTES = 32 * 1024 * 1024
/**
 * Maximum memory of the parser in bytes, unless `limitRuntime` sets a lower one. This value is for a server that parses
 * while another thread indexes.
 */
let maxBytes = 256 * 1024 * 1024

/** Sets the maximum WebAssembly memory of this thread's parser. Must be called before the first parse. */
export function limitRuntime(bytes: number): void {
  maxBytes = Math.max(FIRST_BYTES, bytes)
}

/** Number of steps that the grammars of this thread may take until the next `refillSteps`. */
const stepsLeft = new WebAssembly.Global({ value: "i32", mutable: true }, MAX_STEPS)

/** Allows grammars MAX_STEPS steps from now on. Called whenever the parser has made progress. */
export function refillSteps(): void {
  stepsLeft.value = MAX_STEPS
}

let starting: Promise<typeof TreeSitter> | undefined

/**
 * Starts web-tree-sitter with options that allow its memory to be measured. It is imported on first use, because a
 * static import would delay every start of the program. The grammar that is loaded next has all its steps.
 */
export function startRuntime(): Promise<typeof TreeSitter> {
  starting ??= start()
  refillSteps()
  return starting
}

/** Size in bytes of this thread's WebAssembly memory, which never shrinks; 0 before the first parse. */
export function runtimeBytes(): number {
  return module.HEAPU8?.byteLength ?? 0
}

/**
 * The type of WebAssembly imports. It is derived from the constructor, because Bun's types and those of browsers
 * differ, and this file is checked with both: tsconfig.json and packages/page/browser/tsconfig.json.
 */
type Imports = ConstructorParameters<typeof WebAssembly.Instance>[1]

async function start(): Promise<typeof TreeSitter> {
  const treeSitter = await import("web-tree-sitter")
  const compiled = await moduleOf(RUNTIME)
  module.instantiateWasm = instantiating(compiled)
  module.wasmMemory = new WebAssembly.Memory({
    initial: FIRST_BYTES / PAGE_BYTES,
    maximum: Math.floor(maxBytes / PAGE_BYTES),
  })
  await treeSitter.Parser.init(module)
  delete module.instantiateWasm
  return treeSitter
}

/** Returns the option that instantiates web-tree-sitter's module and lets grammars import the steps left. */
export function instantiating(compiled: WebAssembly.Module): NonNullable<Module["instantiateWasm"]> {
  return (imports, done) => {
    // The loader of grammars looks their imports up in the same object.
    Object.assign(imports["env"]!, { [STEPS_LEFT]: stepsLeft })
    done(new WebAssembly.Instance(compiled, imports as Imports), compiled)
  }
}

/** The key of web-tree-sitter's own module. All other keys are those of grammars. */
export const RUNTIME = "web-tree-sitter"

type ModuleSource = (key: string) => Promise<WebAssembly.Module>

let source: ModuleSource = compileModule

/** Returns the compiled module of a grammar, or of web-tree-sitter itself. */
export function moduleOf(key: string): Promise<WebAssembly.Module> {
  return source(key)
}

/**
 * Makes this thread get its compiled modules from `other`, so that all threads share one copy of the module and its
 * code.
 */
export function takeModulesFrom(other: ModuleSource): void {
  source = other
}

export async function compileModule(key: string): Promise<WebAssembly.Module> {
  const bytes =
    key === RUNTIME ? leaveOutAnalysis(await Bun.file(runtimePath).bytes()) : await grammarBytes(key)
  const module = await WebAssembly.compile(bytes)
  // A grammar that was added by an older version.
  if (key !== RUNTIME && !isBounded(module))
    return WebAssembly.compile(withBoundedWork(bytes) as Buffer<ArrayBuffer>)
  // Releases the bytes, which are megabytes, at once; garbage collection would do it much later.
  bytes.buffer.transfer(0)
  return module
}

/** The bytes of a grammar. Throws if a packed one differs from its checksum. */
export async function grammarBytes(key: string): Promise<Uint8Array<ArrayBuffer>> {
  const ofPack = packFile(key, "wasm")
  if (ofPack !== null) return Bun.file(ofPack).bytes()
  const paths = grammarPaths[key]
  if (!paths) throw new Error(`grammars/assets.ts lacks ${key}: run scripts/grammars.ts`)
  return Bun.zstdDecompress(await Bun.file(paths.wasm).bytes()) as Promise<Buffer<ArrayBuffer>>
}

/**
 * Patches of web-tree-sitter's module that disable the analysis of queries. The analysis checks against the parse table
 * that each pattern can match, and takes 40 to 150 ms for each language and thread. For aman's queries a test checks
 * this; without the analysis the matches are the same (docs/decisions/04-reading-files.md).
 */
const PLACES: readonly { readonly is: string; readonly becomes: string }[] = [
  // Makes `step->symbol` count as 0, the wildcard, which has no children to look for: i32.load16_u → i32.const 0,
  // i32.and.
  { is: "2007 2f0100 2211 0440 200d 450d", becomes: "2007 410071 2211 0440 200d 450d" },
  // Makes the condition `state < state_count` always false. It belongs to the loop over the parse table that finds out
  // which symbols can follow each other: i32.lt_u → i32.gt_u.
  {
    is: "2012 41016a 2212 2006 28029c01 2215 2f0114 49 0d00",
    becomes: "2012 41016a 2212 2006 28029c01 2215 2f0114 4b 0d00",
  },
]

/**
 * Disables the analysis in the bytes of the module, in place, and returns them. Throws if the bytes at these places are not the expected
 * ones.
 */
export function leaveOutAnalysis<T extends Uint8Array>(module: T): T {
  const bytes = Buffer.from(module.buffer, module.byteOffset, module.byteLength)
  for (const { is, becomes } of PLACES) {
    const sought = ofHex(is)
    const at = bytes.indexOf(sought)
    if (at < 0 || bytes.includes(sought, at + 1))
      throw new Error("another web-tree-sitter.wasm than expected")
    bytes.set(ofHex(becomes), at)
  }
  return module
}

function ofHex(text: string): Buffer {
  return Buffer.from(text.replaceAll(" ", ""), "hex")
}
