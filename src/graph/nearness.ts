import type { FileView } from "./file-view.ts"

/** How well anything that a file imports as a whole fits another. */
export function wholesale(file: FileView, home: FileView): number {
  let best = file.fits.get(home.id)
  if (best === undefined) {
    best = bestFit(file, home)
    file.fits.set(home.id, best)
  }
  return best
}

/** In one folder or package. */
export function isNear(home: FileView, file: FileView): boolean {
  if (home.id === file.id || home.folder === file.folder) return true
  return home.package !== null && home.package === file.package
}

function bestFit(file: FileView, home: FileView): number {
  if (home.package !== null && file.imports.includes(home.package)) return 1
  return file.fit(file.imports, home)
}
