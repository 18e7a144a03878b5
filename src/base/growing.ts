/** An array of numbers that grows. Its capacity doubles when needed, and clearing it does not reduce the capacity. */
class Growing<T extends Uint32Array | Float64Array> {
  values: T
  length = 0
  readonly #make: (length: number) => T

  constructor(make: (length: number) => T, capacity: number) {
    this.values = make(capacity)
    this.#make = make
  }

  push(value: number): void {
    if (this.length === this.values.length) this.reserve(1)
    this.values[this.length++] = value
  }

  reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.values.length) return
    const larger = this.#make(Math.max(needed, this.values.length * 2))
    larger.set(this.view())
    this.values = larger
  }

  clear(): void {
    this.length = 0
  }

  view(): T {
    return this.values.subarray(0, this.length) as T
  }
}

export class GrowingU32 extends Growing<Uint32Array> {
  constructor(capacity = 1024) {
    super((length) => new Uint32Array(length), capacity)
  }
}

export class GrowingF64 extends Growing<Float64Array> {
  constructor(capacity = 1024) {
    super((length) => new Float64Array(length), capacity)
  }
}
