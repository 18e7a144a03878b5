// Prose that explains nothing of the project: what changed when, who may copy it, how to behave.
const RECORD_STEMS =
  /^(?:change-?log|changes|history|news|release-?notes|releases|licen[cs]es?|copying|copyright|notices?|authors|contributors|code.of.conduct)(?:[-_.].*)?$/

/** Whether a document of this stem only keeps a record of the project. */
export function isRecordStem(stem: string): boolean {
  return RECORD_STEMS.test(stem)
}

/** What a question says that means such a document. */
export const RECORD_WORDS: readonly string[] =
  "changelog change history news release introduced removed deprecated since license licence copyright author contributor conduct".split(
    " ",
  )
