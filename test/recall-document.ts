import { DEFAULTS } from "../src/memory/log/fold-entry.ts"
import type { RecallDocument } from "../src/memory/recall/index/analyse.ts"

/** Fields of an entry in tests of recall, unless a test sets others. */
export const PLAIN_DOCUMENT: Omit<RecallDocument, "id" | "text"> = {
  ...DEFAULTS,
  recordedAt: "2023-05-08T13:56:00.000Z",
  supersededAt: null,
}
