import { copyTargetOf, type FileView, type Room } from "../../store/derived/file-view.ts"

/** The bytes of a segment's postings, or the parts loaded so far. */
export interface PostingBytes {
  readonly length: number
  /** The loaded bytes; replaced by a larger array when more is loaded. */
  readonly bytes: Uint8Array
  /** Call before loading lists that are used together. */
  begin(): void
  /** Loads the part from `start` to `end` and returns its position in `bytes`. */
  load(start: number, end: number): number
  /** Call when the loaded parts are no longer used. */
  end(): void
}

export function postingsInMemory(bytes: Uint8Array): PostingBytes {
  return { length: bytes.length, bytes, begin: () => {}, load: (start) => start, end: () => {} }
}

const INITIAL_BYTES = 1 << 18
const NO_ROOM: Room = { bytes: new Uint8Array(0), address: 0 }

/**
 * Postings in a file; the lists that a query needs are copied, 70 KB in some 10 µs. A mapped array would
 * count as memory of the JavaScript engine, which would then tolerate as much garbage.
 */
export class PostingsInFile implements PostingBytes {
  readonly length: number
  readonly #view: FileView
  readonly #offset: number
  /** Position in `bytes` of each loaded list, by its position in the section. */
  readonly #loaded = new Map<number, number>()
  #room: Room = NO_ROOM
  #used = 0
  /** Held weakly between queries, so that a garbage collection can free it; see Scratch. */
  #reusable = new WeakRef(NO_ROOM)

  /** `offset` and `length` of the section, in bytes of the file. */
  constructor(view: FileView, offset: number, length: number) {
    this.#view = view
    this.#offset = offset
    this.length = length
    ended.register(this, this.#view)
  }

  get bytes(): Uint8Array {
    return this.#room.bytes
  }

  begin(): void {
    this.#room = this.#reusable.deref() ?? NO_ROOM
    this.#used = 0
    if (this.#loaded.size > 0) this.#loaded.clear()
  }

  load(start: number, end: number): number {
    const known = this.#loaded.get(start)
    if (known !== undefined) return known
    const at = this.#used
    this.#used += end - start
    if (this.#used > this.#room.bytes.length) this.#grow(this.#used)
    this.#view.copy(this.#offset + start, end - start, this.#room, at)
    this.#loaded.set(start, at)
    return at
  }

  end(): void {
    if (this.#reusable.deref() !== this.#room) this.#reusable = new WeakRef(this.#room)
    this.#room = NO_ROOM
  }

  /** Loaded parts keep their positions. */
  #grow(bytes: number): void {
    const larger = new Uint8Array(Math.max(INITIAL_BYTES, bytes, this.#room.bytes.length * 2))
    larger.set(this.#room.bytes)
    this.#room = copyTargetOf(larger)
  }
}

// Closes the file only when the postings are garbage: a running search may still use an index that has been
// reopened.
const ended = new FinalizationRegistry<FileView>((view) => view[Symbol.dispose]())
