import type { RecallDocument } from "../src/knowledge/recall/document.ts"

/** What tests of recall say of an entry unless they say otherwise. */
export const PLAIN_DOCUMENT: Omit<RecallDocument, "id" | "text"> = {
  project: null,
  topic: "general",
  kind: "semantic",
  tags: [],
  author: null,
  role: null,
  session: null,
  ordinal: null,
  entities: [],
  metadata: {},
  validFrom: null,
  validUntil: null,
  recordedAt: "2023-05-08T13:56:00.000Z",
  supersededAt: null,
}
