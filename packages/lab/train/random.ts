/** Random numbers in [0, 1) that are the same for the same seed on every machine (Mulberry32). */
export function randomFrom(seed: number | string): () => number {
  let state = typeof seed === "number" ? seed >>> 0 : Bun.hash.crc32(seed)
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Shuffles in place (Fisher and Yates). */
export function shuffle<T extends unknown[] | Uint32Array>(items: T, random: () => number): T {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const held = items[i]
    items[i] = items[j] as never
    items[j] = held as never
  }
  return items
}
