import { CHUNK_KEY_STRIDE, type ChunkKey } from "./port.ts"

// Views of a whole file are stored beside its chunks, under ordinals that no chunk reaches.
export const FILE_VIEW = CHUNK_KEY_STRIDE - 1
export const NAMES_VIEW = CHUNK_KEY_STRIDE - 2
export const PATH_VIEW = CHUNK_KEY_STRIDE - 3

/** Ordinals from here on are views. */
const FIRST_VIEW = PATH_VIEW

/** Views are scored when their file is, and never found by a search: a short path is near to everything. */
export function isView(key: ChunkKey): boolean {
  return key % CHUNK_KEY_STRIDE >= FIRST_VIEW
}

/** How many views a file has. */
export const VIEWS = CHUNK_KEY_STRIDE - FIRST_VIEW
