import {
  type CopyTarget,
  copyTargetOf,
  type RandomAccessFile,
} from "../../store/derived/random-access-file.ts"

/** Read access to a column of numbers in a segment. */
export interface Column {
  readonly length: number
  at(place: number): number
}

export class ArrayColumn implements Column {
  readonly length: number
  readonly #values: Uint8Array | Uint32Array

  constructor(values: Uint8Array | Uint32Array) {
    this.#values = values
    this.length = values.length
  }

  at(place: number): number {
    return this.#values[place]!
  }
}

const BUFFER_BYTES = 512

/**
 * A column in a file. It buffers BUFFER_BYTES bytes around the last number read, because the next read is usually close
 * to it.
 */
export class FileColumn implements Column {
  readonly length: number
  readonly #file: RandomAccessFile
  readonly #offset: number
  // The ArrayBuffer is created explicitly, because the bytes of a small array without one move when one is created.
  readonly #target: CopyTarget = copyTargetOf(new Uint8Array(new ArrayBuffer(BUFFER_BYTES)))
  readonly #buffer: Uint8Array | Uint32Array
  #from = 0
  #to = 0

  /** `offset` and `end` are byte positions in the file; `width` is the number of bytes of each number. */
  constructor(file: RandomAccessFile, offset: number, end: number, width: 1 | 4) {
    const { bytes } = this.#target
    this.#buffer = width === 1 ? bytes : new Uint32Array(bytes.buffer, 0, BUFFER_BYTES / 4)
    this.#file = file
    this.#offset = offset
    this.length = Math.floor((end - offset) / width)
  }

  at(place: number): number {
    if (place < this.#from || place >= this.#to) this.#fill(place)
    return this.#buffer[place - this.#from]!
  }

  #fill(place: number): void {
    const { length, BYTES_PER_ELEMENT } = this.#buffer
    this.#from = Math.max(0, Math.min(place - length / 2, this.length - length))
    this.#to = Math.min(this.length, this.#from + length)
    const start = this.#offset + this.#from * BYTES_PER_ELEMENT
    this.#file.copy(start, (this.#to - this.#from) * BYTES_PER_ELEMENT, this.#target, 0)
  }
}
