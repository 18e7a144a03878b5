import { createKnowledge } from "./0001-knowledge.ts"
import { addVectors } from "./0002-vectors.ts"
import { addRecallPack } from "./0003-recall-pack.ts"
import { addTextLinks } from "./0004-text-links.ts"

/** In order; the schema version of a file is the number of those it has had. Append, never edit. */
export const KNOWLEDGE_MIGRATIONS: readonly string[] = [
  createKnowledge,
  addVectors,
  addRecallPack,
  addTextLinks,
]
