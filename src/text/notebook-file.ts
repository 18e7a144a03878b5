/** Most of a notebook are its outputs, which nobody indexes: pictures, mostly, that are read past. */
const NOTEBOOK_BYTES = 8 << 20

export function isNotebook(path: string): boolean {
  return /\.ipynb$/i.test(path)
}

/** How large a file may be to be read; a notebook's own text may be no larger than any other's. */
export function mostBytes(path: string, maxFileBytes: number): number {
  return isNotebook(path) ? Math.max(maxFileBytes, NOTEBOOK_BYTES) : maxFileBytes
}
