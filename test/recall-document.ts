import { DEFAULTS } from "../src/knowledge/fold-entry.ts"
import type { RecallDocument } from "../src/knowledge/recall/document.ts"

/** What tests of recall say of an entry unless they say otherwise. */
export const PLAIN_DOCUMENT: Omit<RecallDocument, "id" | "text"> = {
  ...DEFAULTS,
  recordedAt: "2023-05-08T13:56:00.000Z",
  supersededAt: null,
}
