import { createKnowledge } from "./0001-knowledge.ts"

/** In order; the schema version of a file is the number of those it has had. Append, never edit. */
export const KNOWLEDGE_MIGRATIONS: readonly string[] = [createKnowledge]
