const MAGIC_BYTES = 8
const CUSTOM_SECTION = 0
/** Kind of the subsection with the content of the older "dylink": memory and table that a module needs. */
const MEMORY_INFO = 1

/** A section of the module: offsets of its start, of its content and of its end. */
type Section = { readonly id: number; readonly start: number; readonly content: number; readonly end: number }

/**
 * Returns the module in the form that web-tree-sitter loads. Modules state how much memory and how many slots of the
 * table they need: those built by tree-sitter before 0.21 in a section "dylink", later ones in "dylink.0", whose
 * content has a header (WebAssembly tool conventions, DynamicLinking.md). Modules of the later form are returned
 * unchanged. Throws if the module is cut off, or needs a library besides web-tree-sitter.
 */
export function withCurrentLinking(module: Uint8Array): Uint8Array {
  const old = sectionsOf(module).find((section) => nameOf(module, section)?.text === "dylink")
  const name = old && nameOf(module, old)
  if (!old || !name) return module
  // Bytes and alignment of memory, slots and alignment of the table; then the names of libraries.
  let at = name.end
  for (let nth = 0; nth < 4; nth++) at = numberAt(module, at).end
  if (numberAt(module, at).value !== 0) throw new Error("the module needs another library")
  const info = module.subarray(name.end, at)
  const content = [...named("dylink.0"), MEMORY_INFO, ...encoded(info.length), ...info]
  const section = [CUSTOM_SECTION, ...encoded(content.length), ...content]
  return Buffer.concat([module.subarray(0, old.start), Buffer.from(section), module.subarray(old.end)])
}

function sectionsOf(module: Uint8Array): Section[] {
  const sections: Section[] = []
  let start = MAGIC_BYTES
  while (start < module.length) {
    const size = numberAt(module, start + 1)
    const end = size.end + size.value
    if (end > module.length) throw new Error("the module is cut off")
    sections.push({ id: module[start]!, start, content: size.end, end })
    start = end
  }
  return sections
}

function nameOf(module: Uint8Array, { id, content }: Section): { text: string; end: number } | null {
  if (id !== CUSTOM_SECTION) return null
  const length = numberAt(module, content)
  const end = length.end + length.value
  return { text: Buffer.from(module.subarray(length.end, end)).toString(), end }
}

/** The unsigned LEB128 number at the offset, and where it ends. */
function numberAt(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[at++]
    if (byte === undefined) break
    value += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) return { value, end: at }
  }
  throw new Error("the module is cut off")
}

function encoded(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...encoded(value >>> 7)]
}

function named(text: string): number[] {
  return [...encoded(text.length), ...Buffer.from(text)]
}
