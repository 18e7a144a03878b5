import type * as TreeSitter from "web-tree-sitter"
import { runtimePath } from "../../grammars/assets.ts"

/** Emscripten writes the module's current heap into the options it was started with. */
const module: { wasmBinary?: Uint8Array; HEAPU8?: Uint8Array } = {}

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
  module.wasmBinary = await Bun.file(runtimePath).bytes()
  await treeSitter.Parser.init(module)
  delete module.wasmBinary
  return treeSitter
}
