import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto"

/** The facts about a revision by which a client decides whether to take its index. */
export type RevisionFacts = {
  readonly repository: string
  readonly commit: string
  /** Hash of the manifest's blob. */
  readonly manifest: string
  readonly index_version: number
  /** Settings that determine the content of the index. */
  readonly shape: string
}

/** The facts about a revision with the signature by the server's key (Ed25519, base64url). */
export type RevisionOffer = RevisionFacts & { readonly signature: string }

/** Signs the facts. `privateKey`: PKCS #8, DER. */
export function signOffer(facts: RevisionFacts, privateKey: Uint8Array): RevisionOffer {
  const signature = sign(null, signedText(facts), privateKeyOf(privateKey))
  return { ...facts, signature: signature.toString("base64url") }
}

/** True if the server with this key (see `publicKeyOf`) has signed these facts. */
export function isSigned({ signature, ...facts }: RevisionOffer, publicKey: string): boolean {
  try {
    const der = Buffer.from(publicKey, "base64url")
    const key = createPublicKey({ key: der, format: "der", type: "spki" })
    return verify(null, signedText(facts), key, Buffer.from(signature, "base64url"))
  } catch {
    return false
  }
}

/** The public key that belongs to a private one: SPKI, DER, base64url. */
export function publicKeyOf(privateKey: Uint8Array): string {
  const key = createPublicKey(privateKeyOf(privateKey))
  return key.export({ format: "der", type: "spki" }).toString("base64url")
}

/** The fingerprint of a key: a short form that people can compare. */
export function fingerprint(publicKey: string): string {
  const digest = createHash("sha256").update(Buffer.from(publicKey, "base64url")).digest("base64")
  return `SHA256:${digest.replace(/=+$/, "")}`
}

function privateKeyOf(bytes: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(bytes), format: "der", type: "pkcs8" })
}

/**
 * The text to sign. It begins with its purpose, so that the signature cannot be used for another kind of text signed
 * by the same key.
 */
function signedText({ repository, commit, manifest, index_version, shape }: RevisionFacts): Buffer {
  return Buffer.from(JSON.stringify(["aman revision 1", repository, commit, manifest, index_version, shape]))
}
