import { createIndex } from "./0001-index.ts"
import { createEmbedded } from "./0002-embedded.ts"
import { createUses } from "./0003-uses.ts"
import { createCentrality } from "./0004-centrality.ts"
import { markLocals } from "./0005-locals.ts"
import { createBases } from "./0006-bases.ts"

/** In order; the schema version of a file is the number of those it has had. Append, never edit. */
export const MIGRATIONS: readonly string[] = [
  createIndex,
  createEmbedded,
  createUses,
  createCentrality,
  markLocals,
  createBases,
]
