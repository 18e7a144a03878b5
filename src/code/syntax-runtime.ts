import type * as TreeSitter from "web-tree-sitter"
import { runtimePath } from "../../grammars/assets.ts"
import { loadTreeSitter } from "./languages.ts"

/** Emscripten writes the module's current heap into the options it was started with. */
const module: { wasmBinary?: Uint8Array; HEAPU8?: Uint8Array } = {}

let starting: Promise<typeof TreeSitter> | undefined

/**
 * web-tree-sitter, started with options of ours so that its memory can be asked for.
 * It keeps the module of the first start, so call this before a grammar is loaded.
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
  const { Parser } = await import("web-tree-sitter")
  module.wasmBinary = await Bun.file(runtimePath).bytes()
  await Parser.init(module)
  delete module.wasmBinary
  return loadTreeSitter()
}
