import type * as TreeSitter from "web-tree-sitter"
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

let starting: Promise<typeof TreeSitter> | undefined

/**
 * Starts web-tree-sitter with options that allow its memory to be measured. It is imported on first use, because a
 * static import would delay every start of the program.
 */
export function startRuntime(): Promise<typeof TreeSitter> {
  starting ??= start()
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
  module.instantiateWasm = (imports, done) =>
    done(new WebAssembly.Instance(compiled, imports as Imports), compiled)
  module.wasmMemory = new WebAssembly.Memory({
    initial: FIRST_BYTES / PAGE_BYTES,
    maximum: Math.floor(maxBytes / PAGE_BYTES),
  })
  await treeSitter.Parser.init(module)
  delete module.instantiateWasm
  return treeSitter
}
