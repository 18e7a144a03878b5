import { grammarPaths, runtimePath } from "../../../grammars/assets.ts"
import { packFile } from "../languages/grammar-packs.ts"
import { isBounded, withBoundedWork } from "./bounded-work.ts"

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
  const bytes = await (key === RUNTIME ? runtimeBytes() : grammarBytes(key))
  const module = await WebAssembly.compile(bytes)
  // A grammar that was added by an older version.
  if (key !== RUNTIME && !isBounded(module))
    return WebAssembly.compile(withBoundedWork(bytes) as Buffer<ArrayBuffer>)
  // Releases the bytes, which are megabytes, at once; garbage collection would do it much later.
  bytes.buffer.transfer(0)
  return module
}

async function runtimeBytes(): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await Bun.file(runtimePath).bytes()
  leaveOutAnalysis(bytes)
  return bytes
}

async function grammarBytes(key: string): Promise<Uint8Array<ArrayBuffer>> {
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
 * Disables the analysis in the bytes of the module, in place. Throws if the bytes at these places are not the expected
 * ones.
 */
export function leaveOutAnalysis(module: Uint8Array): void {
  const bytes = Buffer.from(module.buffer, module.byteOffset, module.byteLength)
  for (const { is, becomes } of PLACES) {
    const sought = ofHex(is)
    const at = bytes.indexOf(sought)
    if (at < 0 || bytes.includes(sought, at + 1))
      throw new Error("another web-tree-sitter.wasm than expected")
    bytes.set(ofHex(becomes), at)
  }
}

function ofHex(text: string): Buffer {
  return Buffer.from(text.replaceAll(" ", ""), "hex")
}
