import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs"
import { join } from "node:path"
import { getBlob, layOut, parseManifest } from "../../../src/ask/index.ts"
import { AmanError, log } from "../../../src/base/index.ts"
import { indexPath, openRegistry, packedTree } from "../../../src/index/index.ts"
import { readIndexId } from "../../../src/store/index.ts"
import type { BlobStore } from "../blobs/blob-store.ts"
import type { PublishedRevision } from "../catalogue/revisions.ts"
import { hasSoundPack, PackedTreeWriter } from "./packed-tree-writer.ts"

/** Codes of errors of a disk without room, or without room for this user. */
const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"])
/** Ratio of the bytes that a revision takes on disk to those of its blobs, which are compressed; about the maximum. */
const UNPACKED = 4

/** The folders of a revision on this machine. */
export type LaidOut = { readonly root: string; readonly index: string }

/**
 * Revisions on this node's disk, each in a folder named by the hash of its manifest. A folder gets that name only
 * once it is complete. When they take too many bytes, those used least recently are removed.
 */
export class RevisionCache {
  readonly #folder: string
  readonly #store: BlobStore
  readonly #maxBytes: number
  readonly #laying = new Map<string, Promise<LaidOut>>()
  /** Revisions on the disk by manifest, in the order of use. `pack`: identity of the file with its texts. */
  readonly #present = new Map<string, { readonly bytes: number; readonly pack: string | null }>()
  /** Bytes that `trim` has to free because the disk was full. */
  #missingBytes = 0
  /** True if removed revisions may still take room: files that were mapped do, until their memory is collected. */
  #isRoomHeld = false

  /** `folder` must belong to this process alone. */
  constructor(folder: string, store: BlobStore, maxBytes: number) {
    this.#folder = folder
    this.#store = store
    this.#maxBytes = maxBytes
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      const isWhole = /^[0-9a-f]{64}$/.test(name) && hasSoundPack(layout(path).root)
      if (isWhole) this.#present.set(name, { bytes: bytesIn(path), pack: packIn(path) })
      else rmSync(path, { recursive: true, force: true })
    }
  }

  /**
   * The folders of a revision, which is fetched unless it is on the disk. Throws TEAM if a blob is missing or
   * damaged, and IO if the disk is full; the next `trim` then makes room.
   */
  async get(published: PublishedRevision): Promise<LaidOut> {
    const { manifest } = published
    const present = this.#present.get(manifest)
    if (present !== undefined) {
      const path = join(this.#folder, manifest)
      this.#present.delete(manifest)
      if (present.pack !== null && present.pack === packIn(path)) {
        this.#present.set(manifest, present)
        return layout(path)
      }
      log.warn("the texts of a revision changed on the disk; it is fetched again", { revision: manifest })
      this.#remove(manifest)
    }
    const running = this.#laying.get(manifest)
    if (running !== undefined) return running
    const laying = this.#layOut(published).finally(() => this.#laying.delete(manifest))
    this.#laying.set(manifest, laying)
    return laying
  }

  /**
   * Removes revisions for which `isOpen` is false, those used least recently first, while there are too many bytes or
   * the disk has no room for a revision that was needed.
   */
  trim(isOpen: (manifest: string) => boolean): void {
    let total = [...this.#present.values()].reduce((sum, each) => sum + each.bytes, 0)
    const limit = Math.min(this.#maxBytes, total - this.#missingBytes)
    this.#missingBytes = 0
    for (const [manifest, { bytes }] of [...this.#present]) {
      if (total <= limit) return
      if (isOpen(manifest)) continue
      this.#remove(manifest)
      total -= bytes
    }
  }

  /** True if the disk had no room for a revision since the last `trim`. */
  get isDiskFull(): boolean {
    return this.#missingBytes > 0
  }

  /** Bytes and number of the revisions on the disk, and the limit of the bytes. */
  get size(): { readonly bytes: number; readonly maxBytes: number; readonly revisions: number } {
    const bytes = [...this.#present.values()].reduce((sum, each) => sum + each.bytes, 0)
    return { bytes, maxBytes: this.#maxBytes, revisions: this.#present.size }
  }

  /** Free bytes on the disk. */
  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.#folder)
    return bavail * bsize
  }

  async #layOut({ manifest, bytes }: PublishedRevision): Promise<LaidOut> {
    const unfinished = join(this.#folder, `new-${manifest}`)
    rmSync(unfinished, { recursive: true, force: true })
    const { root, index } = layout(unfinished)
    const path = join(this.#folder, manifest)
    if (this.#isRoomHeld && this.freeBytes < bytes * UNPACKED) await this.#freeHeldRoom()
    try {
      const contents = parseManifest(await getBlob(this.#store, manifest))
      using tree = new PackedTreeWriter(root)
      await layOut(this.#store, contents, index, tree)
      tree.finish(manifest)
      renameSync(unfinished, path)
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true })
      if (!FULL.has((error as { code?: string }).code ?? "")) throw error
      this.#missingBytes = Math.max(this.#missingBytes, bytes * UNPACKED)
      throw new AmanError("IO", "the disk of the team's node is full; try again", {
        hint: "start the node with a smaller --cache, or on a larger disk",
        cause: error,
      })
    }
    const place = layout(path)
    // The blobs came from the team's workers, so the index is trusted like one that this user has built.
    const id = readIndexId(indexPath(place.index))
    if (id !== null)
      openRegistry().add({ id, root: place.root, dir: place.index, created: new Date().toISOString() })
    this.#present.set(manifest, { bytes: bytesIn(path), pack: packIn(path) })
    return place
  }

  /** Collects memory until that frees room on the disk: what the answer before still holds may need a pause. */
  async #freeHeldRoom(): Promise<void> {
    const before = this.freeBytes
    for (let pause = 1; this.#isRoomHeld && pause < 50; pause *= 3) {
      Bun.gc(true)
      this.#isRoomHeld = this.freeBytes <= before
      if (this.#isRoomHeld) await Bun.sleep(pause)
    }
  }

  #remove(manifest: string): void {
    const path = join(this.#folder, manifest)
    openRegistry().remove(layout(path).index)
    // With the table of the pack as it was, a pack that was overwritten could be read as other texts.
    packedTree.close(layout(path).root)
    const leaving = join(this.#folder, `old-${manifest}`)
    if (existsSync(path)) renameSync(path, leaving)
    rmSync(leaving, { recursive: true, force: true })
    this.#present.delete(manifest)
    this.#isRoomHeld = true
  }
}

function layout(folder: string): LaidOut {
  return { root: join(folder, "tree"), index: join(folder, "index") }
}

/** Changes whenever the pack of a revision does; null if there is none. */
function packIn(folder: string): string | null {
  const stat = statSync(packedTree.packOf(layout(folder).root), { throwIfNoEntry: false })
  return stat === undefined ? null : `${stat.ino} ${stat.size} ${stat.mtimeMs}`
}

function bytesIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.reduce(
    (sum, entry) => sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
    0,
  )
}
