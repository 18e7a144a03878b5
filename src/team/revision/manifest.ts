import { z } from "zod"
import { AmanError } from "../../base/errors.ts"

/** The parts of a revision; blobs are named by their hashes. */
export type RevisionManifest = z.infer<typeof SHAPE>

const HASH = z.string().regex(/^[0-9a-f]{64}$/)
const SHAPE = z.strictObject({
  format: z.literal(1),
  /** Files of the index folder, each cut into blocks. */
  index: z.array(z.strictObject({ name: z.string(), size: z.int().min(0), blocks: z.array(HASH) })),
  /** Packs of the indexed files themselves. */
  sources: z.array(HASH),
})

/** Throws TEAM for anything that is not a manifest of this format. */
export function parseManifest(bytes: Uint8Array): RevisionManifest {
  try {
    return SHAPE.parse(JSON.parse(Buffer.from(bytes).toString("utf8")))
  } catch (cause) {
    throw new AmanError("TEAM", "the list of a revision's segments cannot be read", {
      hint: "a newer aman may have written it: update aman",
      cause,
    })
  }
}

export function manifestBytes(manifest: RevisionManifest): Uint8Array {
  return Buffer.from(JSON.stringify(manifest))
}

export function blobsIn({ index, sources }: RevisionManifest): string[] {
  return [...new Set([...index.flatMap(({ blocks }) => blocks), ...sources])]
}

/** Pattern for the names that files of an index may have in a revision. */
export const INDEX_NAME = /^(?:index\.db|(?:keyword|vectors)-[\w.-]+)$/u
