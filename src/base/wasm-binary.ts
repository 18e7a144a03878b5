/** Encodes an unsigned number as LEB128, with seven bits per byte (WebAssembly specification, 5.2.2). */
export function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

/** Encodes a non-negative number as signed LEB128, in which bit 6 of the last byte is the sign. */
export function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)]
}

/** Reads WebAssembly's binary format, beginning at an offset. Reading beyond the end throws. */
export class WasmReader {
  at: number
  readonly #bytes: Buffer

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = at
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length
  }

  byte(): number {
    const byte = this.#bytes[this.at++]
    if (byte === undefined) throw new Error("the module is cut off")
    return byte
  }

  bytes(count: number): Buffer {
    const start = this.at
    this.at += count
    if (this.at > this.#bytes.length) throw new Error("the module is cut off")
    return this.#bytes.subarray(start, this.at)
  }

  /** The bytes between two offsets; the position stays. */
  between(start: number, end: number): Buffer {
    return this.#bytes.subarray(start, end)
  }

  /** Reads an unsigned number of at most 35 bits. */
  number(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte()
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    throw new Error("the module is cut off")
  }

  skipNumbers(count: number): void {
    for (let nth = 0; nth < count; nth++) while (this.byte() >= 0x80);
  }

  list<Item>(read: (nth: number) => Item): Item[] {
    const count = this.number()
    const items: Item[] = []
    while (items.length < count) items.push(read(items.length))
    return items
  }
}
