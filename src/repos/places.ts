import { join } from "node:path"
import { sha256 } from "../base/sha256.ts"

/** Where everything of other repositories lies, below one folder. */
export type RepoPlaces = {
  readonly base: string
  readonly clones: string
  readonly indexes: string
  /** Holds the manifest and the lock on who writes any of it. */
  readonly state: string
  readonly manifest: string
}

export function placesIn(base: string): RepoPlaces {
  const state = join(base, "state")
  return {
    base,
    clones: join(base, "repos"),
    indexes: join(base, "indexes"),
    state,
    manifest: join(state, "manifest.json"),
  }
}

/** A work tree of this repository; its folder is what `addressIn` reads. */
export function cloneFolder(places: RepoPlaces, id: string): string {
  return join(places.clones, id)
}

/** Short: some systems bound the length of whole paths, and an index needs no way back. */
export function indexFolder(places: RepoPlaces, id: string): string {
  return join(places.indexes, sha256(id).slice(0, 32))
}
