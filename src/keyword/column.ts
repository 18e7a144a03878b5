import { type FileView, type Room, roomOf } from "../store/file-view.ts"

/** Numbers of a segment's table. */
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

const HELD_BYTES = 512

/** Those of a file, of which some that lie together are held: who looks for one looks at its neighbours next. */
export class FileColumn implements Column {
  readonly length: number
  readonly #view: FileView
  readonly #offset: number
  // With a buffer from the start: a small array without one moves when it gets one.
  readonly #room: Room = roomOf(new Uint8Array(new ArrayBuffer(HELD_BYTES)))
  readonly #held: Uint8Array | Uint32Array
  #from = 0
  #to = 0

  /** `offset` and `end` in bytes of the file, and how many bytes a number has. */
  constructor(view: FileView, offset: number, end: number, width: 1 | 4) {
    const { bytes } = this.#room
    this.#held = width === 1 ? bytes : new Uint32Array(bytes.buffer, 0, HELD_BYTES / 4)
    this.#view = view
    this.#offset = offset
    this.length = Math.floor((end - offset) / width)
  }

  at(place: number): number {
    if (place < this.#from || place >= this.#to) this.#hold(place)
    return this.#held[place - this.#from]!
  }

  #hold(place: number): void {
    const { length, BYTES_PER_ELEMENT } = this.#held
    this.#from = Math.max(0, Math.min(place - length / 2, this.length - length))
    this.#to = Math.min(this.length, this.#from + length)
    const start = this.#offset + this.#from * BYTES_PER_ELEMENT
    this.#view.copy(start, (this.#to - this.#from) * BYTES_PER_ELEMENT, this.#room, 0)
  }
}
