import { existsSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { AmanError } from "../../base/errors.ts"
import { OpenFolder } from "../../base/files/open-folder.ts"
import { log } from "../../base/log.ts"
import { type Manifest, newState, type RepoState, readManifest, writeManifest } from "../../repos/manifest.ts"
import type { LeaderLock } from "../../store/lock/lead.ts"
import { removeIndex } from "../index/remove-index.ts"
import type { Repository } from "./configured.ts"

/**
 * The manifest of the other repositories, in the process that holds its lock and may change it. Each change is on disk
 * when the method returns. Throws REPOS_BUSY once the lock is lost.
 */
export class ManifestWriter {
  readonly notices: readonly string[]
  readonly #path: string
  readonly #lead: LeaderLock
  #manifest: Manifest

  constructor(path: string, lead: LeaderLock) {
    const { manifest, damage } = readManifest(path)
    this.notices = damage === null ? [] : [`${damage}; it is rebuilt from the clones`]
    if (damage !== null) log.warn("manifest of repositories rebuilt", { damage })
    this.#path = path
    this.#lead = lead
    this.#manifest = manifest
  }

  /** False once the lock file was removed, because another process may then hold the lock. */
  get isOurs(): boolean {
    return this.#lead.held
  }

  has(id: string): boolean {
    return this.#manifest.repos[id] !== undefined
  }

  of({ id, url }: Repository): RepoState {
    return this.#manifest.repos[id] ?? newState(url)
  }

  update(repository: Repository, change: (state: RepoState) => RepoState): void {
    const state = change(this.of(repository))
    this.#write({ ...this.#manifest, repos: { ...this.#manifest.repos, [repository.id]: state } })
  }

  forget(id: string): void {
    const { [id]: _, ...repos } = this.#manifest.repos
    this.#write({ ...this.#manifest, repos })
  }

  finish(at: Date): void {
    this.#write({ ...this.#manifest, last_sync: at.toISOString() })
  }

  #write(manifest: Manifest): void {
    if (!this.#lead.held) {
      throw new AmanError("REPOS_BUSY", "the lock on the repositories was removed, so the sync stopped", {
        hint: "run it again",
      })
    }
    writeManifest(this.#path, manifest)
    this.#manifest = manifest
  }
}

/** Deletes clone, index and manifest entry. Only for the leader. */
export function dropRepository({ id, clone, index }: Repository, manifest: ManifestWriter): void {
  dropIndex({ root: clone, dir: index })
  removeTree(clone)
  manifest.forget(id)
}

/** True if there is anything that `dropRepository` would delete. */
export function isOnDisk({ id, clone, index }: Repository, manifest: ManifestWriter): boolean {
  return manifest.has(id) || existsSync(clone) || existsSync(index)
}

/** Deletes a folder in its opened parent, so that a link placed on the way to it is not followed. */
function removeTree(path: string): void {
  using parent = OpenFolder.open(dirname(path))
  if (parent !== null) rmSync(join(parent.at, basename(path)), { recursive: true, force: true })
}

/**
 * Deletes the index of a clone. An index that is missing from the registry, as after the loss of the user's data
 * folder, is deleted as well, because it is in aman's own folder.
 */
function dropIndex(place: { readonly root: string; readonly dir: string }): void {
  try {
    removeIndex(place)
  } catch (error) {
    if (!(error instanceof AmanError && error.code === "INDEX_FOREIGN")) throw error
    removeTree(place.dir)
  }
}
