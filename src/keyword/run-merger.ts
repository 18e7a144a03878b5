/**
 * Numbered values that come as a few ascending runs, one per segment and often already in order: notes where
 * runs begin and merges them pair by pair, a natural merge sort.
 */
export class RunMerger {
  keys = new Uint32Array(INITIAL)
  values = new Uint32Array(INITIAL)
  length = 0
  private otherKeys = new Uint32Array(INITIAL)
  private otherValues = new Uint32Array(INITIAL)
  private starts: number[] = []

  clear(): void {
    this.length = 0
    this.starts.length = 0
  }

  reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.keys.length) return
    const capacity = Math.max(needed, this.keys.length * 2)
    const { keys, values, length } = this
    this.keys = new Uint32Array(capacity)
    this.values = new Uint32Array(capacity)
    this.keys.set(keys.subarray(0, length))
    this.values.set(values.subarray(0, length))
  }

  /** The caller has reserved room for it. */
  push(key: number, value: number): void {
    const at = this.length++
    if (at === 0 || key < this.keys[at - 1]!) this.starts.push(at)
    this.keys[at] = key
    this.values[at] = value
  }

  /** Brings all into ascending order of keys. */
  merge(): void {
    if (this.starts.length < 2) return
    if (this.otherKeys.length < this.keys.length) {
      this.otherKeys = new Uint32Array(this.keys.length)
      this.otherValues = new Uint32Array(this.keys.length)
    }
    while (this.starts.length > 1) this.mergePairs()
  }

  private mergePairs(): void {
    const { starts, length } = this
    const merged: number[] = []
    for (let run = 0; run < starts.length; run += 2) {
      const start = starts[run]!
      const middle = starts[run + 1] ?? length
      this.mergeTwo(start, middle, starts[run + 2] ?? length)
      merged.push(start)
    }
    this.starts = merged
    ;[this.keys, this.otherKeys] = [this.otherKeys, this.keys]
    ;[this.values, this.otherValues] = [this.otherValues, this.values]
  }

  private mergeTwo(start: number, middle: number, end: number): void {
    const { keys, values, otherKeys, otherValues } = this
    let left = start
    let right = middle
    for (let at = start; at < end; at++) {
      const takesLeft = right >= end || (left < middle && keys[left]! <= keys[right]!)
      const from = takesLeft ? left++ : right++
      otherKeys[at] = keys[from]!
      otherValues[at] = values[from]!
    }
  }
}

const INITIAL = 1024
