/**
 * Places in web-tree-sitter's module where it would analyze a query: prove from the parse table that each pattern can
 * match, 40 to 150 ms a language and thread. Ours are proved by a test, and matches are the same without
 * (docs/decisions/0027).
 */
const PLACES: readonly { readonly is: string; readonly becomes: string }[] = [
  // `step->symbol` counts as 0, the wildcard, which has no children to look for: i32.load16_u → i32.const 0, i32.and.
  { is: "2007 2f0100 2211 0440 200d 450d", becomes: "2007 410071 2211 0440 200d 450d" },
  // `state < state_count`, of the walk over the parse table that would collect what follows what: i32.lt_u → i32.gt_u.
  {
    is: "2012 41016a 2212 2006 28029c01 2215 2f0114 49 0d00",
    becomes: "2012 41016a 2212 2006 28029c01 2215 2f0114 4b 0d00",
  },
]

/** Leaves the analysis of queries out of the module's bytes, in place. Throws where they are not the ones known. */
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
