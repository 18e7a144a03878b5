import { DEFAULTS } from "../src/memory/log/fold-entry.ts"
import type { RecallDocument } from "../src/memory/recall/index/analyse.ts"

/** What tests of recall say of an entry unless they say otherwise. */
export const PLAIN_DOCUMENT: Omit<RecallDocument, "id" | "text"> = {
  ...DEFAULTS,
  recordedAt: "2023-05-08T13:56:00.000Z",
  supersededAt: null,
}
