import { unsigned, WasmReader } from "../../base/wasm-binary.ts"

const MAGIC_BYTES = 8
const CUSTOM_SECTION = 0
/**
 * Number of the subsection that states the memory and table size that a module needs. Its content is that of the older
 * section "dylink".
 */
const MEMORY_INFO = 1

/** A section of a WebAssembly module: its number, and the offsets of its start, of its content and of its end. */
type WasmSection = {
  readonly id: number
  readonly start: number
  readonly content: number
  readonly end: number
}

/**
 * Returns a grammar's module in the form that web-tree-sitter loads. A module states how much memory and how many table
 * slots it needs. tree-sitter before 0.21 wrote this into a section "dylink"; later versions write a section
 * "dylink.0", whose content begins with a header (WebAssembly tool conventions, DynamicLinking.md). A module of the
 * later form is returned unchanged. Throws if the module is truncated, or needs a library besides web-tree-sitter.
 */
export function withCurrentLinking(module: Uint8Array): Uint8Array {
  const old = sectionsOf(module).find((section) => sectionName(module, section)?.text === "dylink")
  const name = old && sectionName(module, old)
  if (!old || !name) return module
  // The content: bytes and alignment of the memory, slots and alignment of the table, and then the names of libraries.
  const reader = new WasmReader(module, name.end)
  reader.skipNumbers(4)
  const info = module.subarray(name.end, reader.at)
  if (reader.number() !== 0) throw new Error("the module needs another library")
  const content = [...nameBytes("dylink.0"), MEMORY_INFO, ...unsigned(info.length), ...info]
  const section = [CUSTOM_SECTION, ...unsigned(content.length), ...content]
  return Buffer.concat([module.subarray(0, old.start), Buffer.from(section), module.subarray(old.end)])
}

function sectionsOf(module: Uint8Array): WasmSection[] {
  const sections: WasmSection[] = []
  const reader = new WasmReader(module, MAGIC_BYTES)
  while (!reader.isAtEnd) {
    const start = reader.at
    const id = reader.byte()
    const size = reader.number()
    const content = reader.at
    reader.bytes(size)
    sections.push({ id, start, content, end: reader.at })
  }
  return sections
}

function sectionName(module: Uint8Array, { id, content }: WasmSection): { text: string; end: number } | null {
  if (id !== CUSTOM_SECTION) return null
  const reader = new WasmReader(module, content)
  return { text: reader.bytes(reader.number()).toString(), end: reader.at }
}

function nameBytes(text: string): number[] {
  return [...unsigned(text.length), ...Buffer.from(text)]
}
