import { timingSafeEqual } from "node:crypto"
import { sha256 } from "../base/files/files.ts"

/** Compares two texts in a time that reveals nothing about the secret: their hashes have equal lengths. */
export function isSameText(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)))
}
