import { generateKeyPairSync } from "node:crypto"
import type { Catalogue } from "./catalogue.ts"

/** The private key of the team's server (Ed25519; PKCS #8, DER), which all nodes share. Made when it is first needed. */
export async function signingKey(catalogue: Catalogue): Promise<Buffer> {
  const { privateKey } = generateKeyPairSync("ed25519")
  const made = privateKey.export({ format: "der", type: "pkcs8" })
  const [row] = await catalogue.transaction(async (sql) => {
    await sql`INSERT INTO aman.signing_key (private_key) VALUES (${made}) ON CONFLICT DO NOTHING`
    return sql<{ private_key: Buffer }[]>`SELECT private_key FROM aman.signing_key`
  })
  return row!.private_key
}
