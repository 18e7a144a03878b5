/** Converts a value to text for another node: JSON that also keeps sets, 64-bit numbers and typed arrays. */
export function toWire(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === "bigint") return { $: "bigint", of: each.toString() }
    if (each instanceof Set) return { $: "set", of: [...each] }
    if (each instanceof Float64Array) return { $: "f64", of: [...each] }
    return each
  })
}

/** Converts text from `toWire` back to its value. Throws SyntaxError for any other text. */
export function fromWire(text: string): unknown {
  return JSON.parse(text, (_, each: unknown) => {
    if (typeof each !== "object" || each === null || !("$" in each) || !("of" in each)) return each
    if (each.$ === "bigint") return BigInt(each.of as string)
    if (each.$ === "set") return new Set(each.of as unknown[])
    return each.$ === "f64" ? Float64Array.from(each.of as number[]) : each
  })
}
