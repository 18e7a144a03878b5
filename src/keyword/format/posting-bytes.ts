import {
  type CopyTarget,
  copyTargetOf,
  type RandomAccessFile,
} from "../../store/derived/random-access-file.ts"

/** The bytes of a segment's postings: all of them, or the parts that were loaded so far. */
export interface PostingBytes {
  readonly length: number
  /** The loaded bytes. When more is loaded, the array may be replaced by a larger one. */
  readonly bytes: Uint8Array
  /** Must be called before lists are loaded that are used together. */
  begin(): void
  /** Loads the part from `start` to `end` and returns its position in `bytes`. */
  load(start: number, end: number): number
  /** Must be called when the loaded parts are no longer used. */
  end(): void
}

export function postingsInMemory(bytes: Uint8Array): PostingBytes {
  return { length: bytes.length, bytes, begin: () => {}, load: (start) => start, end: () => {} }
}

const INITIAL_BYTES = 1 << 18
const NO_TARGET: CopyTarget = { bytes: new Uint8Array(0), address: 0 }

/**
 * Postings in a file. The lists that a query needs are copied into memory, which takes some 10 µs for 70 KB. They are
 * not mapped, because the JavaScript engine would count a mapped array as its own memory and then collect garbage less
 * often.
 */
export class PostingsInFile implements PostingBytes {
  readonly length: number
  readonly #file: RandomAccessFile
  readonly #offset: number
  /** Position in `bytes` of each loaded list, by its position in the section of the file. */
  readonly #loaded = new Map<number, number>()
  #target: CopyTarget = NO_TARGET
  #used = 0
  /**
   * The buffer. Between queries there is only this weak reference to it, so that a garbage collection can free it; see
   * Scratch.
   */
  #reusable = new WeakRef(NO_TARGET)

  /** `offset` and `length` of the section of postings in the file, in bytes. */
  constructor(file: RandomAccessFile, offset: number, length: number) {
    this.#file = file
    this.#offset = offset
    this.length = length
    ended.register(this, this.#file)
  }

  get bytes(): Uint8Array {
    return this.#target.bytes
  }

  begin(): void {
    this.#target = this.#reusable.deref() ?? NO_TARGET
    this.#used = 0
    if (this.#loaded.size > 0) this.#loaded.clear()
  }

  load(start: number, end: number): number {
    const loadedAt = this.#loaded.get(start)
    if (loadedAt !== undefined) return loadedAt
    const at = this.#used
    this.#used += end - start
    if (this.#used > this.#target.bytes.length) this.#grow(this.#used)
    this.#file.copy(this.#offset + start, end - start, this.#target, at)
    this.#loaded.set(start, at)
    return at
  }

  end(): void {
    if (this.#reusable.deref() !== this.#target) this.#reusable = new WeakRef(this.#target)
    this.#target = NO_TARGET
  }

  /** Makes room for more bytes. Parts that are loaded keep their positions. */
  #grow(bytes: number): void {
    const larger = new Uint8Array(Math.max(INITIAL_BYTES, bytes, this.#target.bytes.length * 2))
    larger.set(this.#target.bytes)
    this.#target = copyTargetOf(larger)
  }
}

// The file is closed only when the postings are garbage-collected, because a running search may still use an index that
// has been reopened.
const ended = new FinalizationRegistry<RandomAccessFile>((file) => file[Symbol.dispose]())
