import { type FileView, type Room, roomOf } from "../store/file-view.ts"

/** The bytes of a segment's postings, or those that are wanted of them. */
export interface PostingBytes {
  readonly length: number
  /** What is loaded; another array once more is. */
  readonly bytes: Uint8Array
  /** Before lists are loaded that are looked at together. */
  begin(): void
  /** Where in `bytes` the part from `start` to `end` stands. */
  load(start: number, end: number): number
  /** What was loaded is not used any more. */
  end(): void
}

export function postingsInMemory(bytes: Uint8Array): PostingBytes {
  return { length: bytes.length, bytes, begin: () => {}, load: (start) => start, end: () => {} }
}

const INITIAL_BYTES = 1 << 18
const NO_ROOM: Room = { bytes: new Uint8Array(0), address: 0 }

/**
 * Postings of a file, of which a question's lists are copied: 70 KB, some 10 µs. Mapped as an array they would count as
 * the engine's own, which would let as much garbage lie.
 */
export class PostingsInFile implements PostingBytes {
  readonly length: number
  readonly #view: FileView
  readonly #offset: number
  /** Where lists are that were loaded, by their place in the file. */
  readonly #loaded = new Map<number, number>()
  #room: Room = NO_ROOM
  #used = 0
  /** Between questions a collection may take it; see Scratch. */
  #kept = new WeakRef(NO_ROOM)

  /** `offset` and `length` in bytes of the file. */
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
    this.#room = this.#kept.deref() ?? NO_ROOM
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
    if (this.#kept.deref() !== this.#room) this.#kept = new WeakRef(this.#room)
    this.#room = NO_ROOM
  }

  /** What was loaded stays where it is. */
  #grow(bytes: number): void {
    const larger = new Uint8Array(Math.max(INITIAL_BYTES, bytes, this.#room.bytes.length * 2))
    larger.set(this.#room.bytes)
    this.#room = roomOf(larger)
  }
}

// A search that still has an index which was opened anew reads on; nobody can say when the last has ended.
const ended = new FinalizationRegistry<FileView>((view) => view[Symbol.dispose]())
