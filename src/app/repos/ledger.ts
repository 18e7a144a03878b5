import { AmanError } from "../../base/errors.ts"
import { log } from "../../base/log.ts"
import { type Manifest, newState, type RepoState, readManifest, writeManifest } from "../../repos/manifest.ts"
import type { Lead } from "../../store/lead.ts"
import type { Repository } from "./configured.ts"

/** The manifest in the hands of who leads: every change is on disk before the next step is taken. */
export class Ledger {
  readonly notices: readonly string[]
  readonly #path: string
  readonly #lead: Lead
  #manifest: Manifest

  constructor(path: string, lead: Lead) {
    const { manifest, damage } = readManifest(path)
    this.notices = damage === null ? [] : [`${damage}; it is made anew from the clones`]
    if (damage !== null) log.warn("manifest of repositories made anew", { damage })
    this.#path = path
    this.#lead = lead
    this.#manifest = manifest
  }

  /** False once somebody took away the lock file: then another process may lead. */
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
      throw new AmanError("REPOS_BUSY", "the lock on the repositories was taken away; stopped", {
        hint: "run it again",
      })
    }
    writeManifest(this.#path, manifest)
    this.#manifest = manifest
  }
}
