/** Wire types of protobuf. The two types for groups are missing, because no current format uses groups. */
export const WIRE = { varint: 0, fixed64: 1, delimited: 2, fixed32: 5 } as const

const MAX_VARINT_BYTES = 10
const DECODER = new TextDecoder()

/** Reads protobuf messages. Throws RangeError if the bytes end too early or are not valid protobuf. */
export class WireReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** The number of the next field and the type of its value. */
  tag(): readonly [field: number, type: number] {
    const tag = this.int32() >>> 0
    if (tag >>> 3 === 0) throw new RangeError("no field has the number 0")
    return [tag >>> 3, tag & 7]
  }

  /** The low 32 bits of a varint, with sign. */
  int32(): number {
    let value = 0
    for (let read = 0; read < MAX_VARINT_BYTES; read++) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new RangeError("the message ends in a number")
      if (read < 5) value |= (byte & 127) << (7 * read)
      if (byte < 128) return value
    }
    throw new RangeError("a number has more than ten bytes")
  }

  /** The bytes of a message, text or list, without a copy. */
  bytes(): Uint8Array {
    const length = this.int32() >>> 0
    return this.#bytes.subarray(this.#at, this.#advance(length))
  }

  string(): string {
    return DECODER.decode(this.bytes())
  }

  skip(type: number): void {
    if (type === WIRE.varint) this.int32()
    else if (type === WIRE.delimited) this.bytes()
    else if (type === WIRE.fixed64) this.#advance(8)
    else if (type === WIRE.fixed32) this.#advance(4)
    else throw new RangeError(`no field has the type ${type}`)
  }

  #advance(length: number): number {
    if (length > this.#bytes.length - this.#at) throw new RangeError("the message ends in a field")
    this.#at += length
    return this.#at
  }
}

/** Writes a protobuf message, field by field; a field of value 0 or "" is left out, as in proto3. */
export class WireWriter {
  readonly #parts: Uint8Array[] = []

  number(field: number, value: number): this {
    return value === 0 ? this : this.#add(varint((field << 3) | WIRE.varint), varint(value))
  }

  text(field: number, value: string): this {
    return value === "" ? this : this.bytes(field, Buffer.from(value))
  }

  bytes(field: number, value: Uint8Array): this {
    return this.#add(varint((field << 3) | WIRE.delimited), varint(value.length), value)
  }

  /** A list of numbers from 0 to 2³¹ - 1. */
  packed(field: number, values: readonly number[]): this {
    return this.bytes(field, Buffer.concat(values.map(varint)))
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#parts)
  }

  #add(...parts: readonly Uint8Array[]): this {
    this.#parts.push(...parts)
    return this
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value >>> 0
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}
