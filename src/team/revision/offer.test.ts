import { expect, test } from "bun:test"
import { generateKeyPairSync } from "node:crypto"
import { fingerprint, isSigned, publicKeyOf, signOffer } from "./offer.ts"

const newKey = () => generateKeyPairSync("ed25519").privateKey.export({ format: "der", type: "pkcs8" })
const key = newKey()
const facts = {
  ...{ repository: "github.com/owner/name", commit: "c".repeat(40), manifest: "d".repeat(64) },
  ...{ index_version: 25, shape: "25:1500:500:262144:true" },
}
const offer = signOffer(facts, key)

test("an offer is signed by its key alone, and by no other or malformed one", () => {
  expect(isSigned(offer, publicKeyOf(key))).toBe(true)
  for (const other of [publicKeyOf(newKey()), "", "not a key"]) expect(isSigned(offer, other)).toBe(false)
})

test("a signature is wrong as soon as any fact is another one", () => {
  for (const [name, value] of Object.entries(facts)) {
    const changed = { ...offer, [name]: typeof value === "number" ? value + 1 : `${value}0` }
    expect(isSigned(changed, publicKeyOf(key))).toBe(false)
  }
  expect(isSigned({ ...offer, signature: "" }, publicKeyOf(key))).toBe(false)
})

test("a fingerprint is the SHA-256 of the public key in base64, as OpenSSH prints it", () => {
  expect(fingerprint(publicKeyOf(key))).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/)
})
