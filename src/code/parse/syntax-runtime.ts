import type * as TreeSitter from "web-tree-sitter"
import { moduleOf, RUNTIME } from "./compiled-modules.ts"

type Instantiated = (instance: WebAssembly.Instance, module: WebAssembly.Module) => void

type Module = {
  instantiateWasm?: (imports: Bun.WebAssembly.Imports, done: Instantiated) => void
  wasmMemory?: WebAssembly.Memory
  HEAPU8?: Uint8Array
  readonly printErr: (text: string) => void
}

/** Emscripten writes the module's current heap into the options it was started with. */
const module: Module = {
  // The error that it throws holds the same text.
  printErr: () => {},
}

const PAGE_BYTES = 64 * 1024
/** Initial memory that the module was linked with. */
const FIRST_BYTES = 32 * 1024 * 1024
/**
 * A megabyte of source takes 40 to 80 MB; a parser that follows every guess at a text without sense takes gigabytes.
 */
const MAX_BYTES = 256 * 1024 * 1024

let starting: Promise<typeof TreeSitter> | undefined

/**
 * web-tree-sitter, started with options of ours so that its memory can be asked for.
 * Imported on first use: a static import would cost every start of the program.
 */
export function startRuntime(): Promise<typeof TreeSitter> {
  starting ??= start()
  return starting
}

/** Bytes of wasm memory in this thread; they grow only. 0 before the first parse. */
export function runtimeBytes(): number {
  return module.HEAPU8?.byteLength ?? 0
}

async function start(): Promise<typeof TreeSitter> {
  const treeSitter = await import("web-tree-sitter")
  const compiled = await moduleOf(RUNTIME)
  module.instantiateWasm = (imports, done) => done(new WebAssembly.Instance(compiled, imports), compiled)
  module.wasmMemory = new WebAssembly.Memory({
    initial: FIRST_BYTES / PAGE_BYTES,
    maximum: MAX_BYTES / PAGE_BYTES,
  })
  await treeSitter.Parser.init(module)
  delete module.instantiateWasm
  return treeSitter
}
