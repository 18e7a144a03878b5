/** Encodes an unsigned 32-bit number as LEB128, with seven bits per byte (WebAssembly specification, 5.2.2; protobuf). */
export function unsigned(value: number): number[] {
  return value >>> 0 < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

/** Encodes a non-negative number as signed LEB128, in which bit 6 of the last byte is the sign. */
export function signed(value: number): number[] {
  return value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)]
}

/** Reads bytes and LEB128 numbers, beginning at an offset. Reading beyond the end throws RangeError. */
export class ByteReader {
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
    if (byte === undefined) throw new RangeError("the bytes are cut off")
    return byte
  }

  /** The next `count` bytes, without a copy. */
  bytes(count: number): Buffer {
    if (count > this.#bytes.length - this.at) throw new RangeError("the bytes are cut off")
    const start = this.at
    this.at += count
    return this.#bytes.subarray(start, this.at)
  }

  /** The bytes between two offsets; the position stays. */
  between(start: number, end: number): Buffer {
    return this.#bytes.subarray(start, end)
  }

  /** The low 32 bits of a number of at most 10 bytes, with sign. */
  int32(): number {
    let value = 0
    for (let read = 0; read < 10; read++) {
      const byte = this.byte()
      if (read < 5) value |= (byte & 127) << (7 * read)
      if (byte < 128) return value
    }
    throw new RangeError("a number has more than ten bytes")
  }

  /** The low 32 bits of a number, without sign. */
  number(): number {
    return this.int32() >>> 0
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
