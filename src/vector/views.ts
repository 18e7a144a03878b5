import { CHUNK_KEY_STRIDE } from "./port.ts"

// Views of a whole file are stored beside its chunks, under ordinals that no chunk reaches.
export const FILE_VIEW = CHUNK_KEY_STRIDE - 1
export const NAMES_VIEW = CHUNK_KEY_STRIDE - 2
export const PATH_VIEW = CHUNK_KEY_STRIDE - 3

/** Ordinals from here on are views. */
export const FIRST_VIEW = PATH_VIEW

/** How many views a file has. */
export const VIEWS = CHUNK_KEY_STRIDE - FIRST_VIEW
