import { timingSafeEqual } from "node:crypto"
import { sha256 } from "../../base/index.ts"

/**
 * Compares two texts in constant time, so that the duration reveals nothing about the secret. Their hashes are
 * compared, because timingSafeEqual requires equal lengths.
 */
export function isSameText(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)))
}
