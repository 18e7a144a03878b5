import type * as TreeSitter from "web-tree-sitter"
import { MAX_STEPS, STEPS_LEFT } from "./bounded-work.ts"
import { moduleOf, RUNTIME } from "./compiled-modules.ts"

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
