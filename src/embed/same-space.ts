import type { EmbeddingSpace } from "./port.ts"

/** Whether vectors of the one may be compared with vectors of the other. */
export function isSameSpace(one: EmbeddingSpace | null, other: EmbeddingSpace | null): boolean {
  if (one === null || other === null) return one === other
  return (
    one.provider === other.provider &&
    one.model === other.model &&
    one.dimensions === other.dimensions &&
    one.version === other.version
  )
}
