import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs"

const PAGE = 4096

/** One damage to a file: a page of zeros, a flipped bit, or bytes cut off its end. */
export type Damage =
  | { readonly kind: "zeroed page"; readonly page: number }
  | { readonly kind: "flipped bit"; readonly at: number; readonly bit: number }
  | { readonly kind: "cut"; readonly bytes: number }

/**
 * Zeroed pages, flipped bits and cuts at a ratio of 2 : 2 : 1. Every second flip hits the head of a page,
 * where damage has most effect.
 */
export function randomDamages(count: number, size: number, random: () => number): Damage[] {
  const pick = (n: number) => Math.floor(random() * n)
  const pages = Math.ceil(size / PAGE)
  return Array.from({ length: count }, (_, i): Damage => {
    const page = pick(pages)
    if (i % 5 < 2) return { kind: "zeroed page", page }
    if (i % 5 === 4) return { kind: "cut", bytes: 1 + pick(i % 2 === 0 ? PAGE : 3 * PAGE) }
    const inside = i % 5 === 2 ? pick(64) : pick(PAGE)
    return { kind: "flipped bit", at: Math.min(size - 1, page * PAGE + inside), bit: pick(8) }
  })
}

/** Applies the damage to the file in place, as a failing disk would. */
export function inflict(damage: Damage, path: string): void {
  const file = openSync(path, "r+")
  try {
    const { size } = fstatSync(file)
    if (damage.kind === "cut") ftruncateSync(file, Math.max(0, size - damage.bytes))
    else if (damage.kind === "zeroed page") writeSync(file, Buffer.alloc(PAGE), 0, PAGE, damage.page * PAGE)
    else {
      const byte = Buffer.alloc(1)
      readSync(file, byte, 0, 1, damage.at)
      byte[0]! ^= 1 << damage.bit
      writeSync(file, byte, 0, 1, damage.at)
    }
  } finally {
    closeSync(file)
  }
}

/** The damage in words, for a message. */
export function named(damage: Damage): string {
  if (damage.kind === "zeroed page") return `page ${damage.page} zeroed`
  if (damage.kind === "cut") return `${damage.bytes} bytes cut off`
  return `bit ${damage.bit} of byte ${damage.at} (page ${Math.floor(damage.at / PAGE)}) flipped`
}
