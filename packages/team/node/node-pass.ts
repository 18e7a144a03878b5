import { createHmac, timingSafeEqual } from "node:crypto"
import { sha256 } from "../../../src/base/files/files.ts"
import type { Principal } from "../catalogue/access.ts"

/** Lifetime in ms; long enough for clocks that differ a little. */
const VALID_MS = 60_000

/**
 * A credential with which a node sends one request body to another node on behalf of a principal. It is made with the
 * key that all nodes share, so that a person's token is never passed on.
 */
export function makePass({ id, name }: Principal, body: string, key: Uint8Array, nowMs: number): string {
  const claims = Buffer.from(JSON.stringify({ id, name, until: nowMs + VALID_MS })).toString("base64url")
  return `${claims}.${macOf(claims, body, key).toString("base64url")}`
}

/** The principal; null if the pass is wrong, expired or for another body. */
export function readPass(pass: string, body: string, key: Uint8Array, nowMs: number): Principal | null {
  const [claims = "", mac = ""] = pass.split(".")
  const [found, right] = [Buffer.from(mac, "base64url"), macOf(claims, body, key)]
  if (found.length !== right.length || !timingSafeEqual(found, right)) return null
  const { id, name, until } = JSON.parse(Buffer.from(claims, "base64url").toString()) as PassClaims
  return until < nowMs ? null : { id, name }
}

type PassClaims = Principal & { readonly until: number }

function macOf(claims: string, body: string, key: Uint8Array): Buffer {
  return createHmac("sha256", key)
    .update(`aman node 1\n${claims}\n${sha256(body)}`)
    .digest()
}
