import { grammarPaths, runtimePath } from "../../grammars/assets.ts"
import { leaveOutAnalysis } from "./query-analysis.ts"

/** The key of web-tree-sitter's own module among those of the grammars. */
export const RUNTIME = "web-tree-sitter"

type ModuleSource = (key: string) => Promise<WebAssembly.Module>

let source: ModuleSource = compileModule

/** The module of a grammar, or of web-tree-sitter itself. */
export function moduleOf(key: string): Promise<WebAssembly.Module> {
  return source(key)
}

/**
 * Has this thread take its modules from elsewhere: those of all threads share one copy, and the code compiled from it.
 */
export function takeModulesFrom(other: ModuleSource): void {
  source = other
}

export async function compileModule(key: string): Promise<WebAssembly.Module> {
  const bytes = await (key === RUNTIME ? runtimeBytes() : grammarBytes(key))
  const module = await WebAssembly.compile(bytes)
  // Megabytes that have served, and that no collection would come for soon.
  bytes.buffer.transfer(0)
  return module
}

async function runtimeBytes(): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Bun.file(runtimePath).bytes()
  leaveOutAnalysis(bytes)
  return bytes
}

async function grammarBytes(key: string): Promise<Uint8Array<ArrayBuffer>> {
  const paths = grammarPaths[key]
  if (!paths) throw new Error(`grammars/assets.ts lacks ${key}: run scripts/grammars.ts`)
  return Bun.zstdDecompress(await Bun.file(paths.wasm).bytes()) as Promise<Buffer<ArrayBuffer>>
}
