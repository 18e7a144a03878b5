import { FILE_FLAG } from "../../base/files/file-flag.ts"
import { isRecordStem, RECORD_WORDS } from "../../search/rank/file-facts.ts"
import type { FileRow } from "../../store/index/file-rows.ts"
import { stemName } from "../../text/terms/path-words.ts"
import type { QueryWords } from "./query-words.ts"

// Weight of documentation beside source code. Chosen by hand, because commits do not show which documents are
// worth reading.
const DOCS = 0.1
const DATA = 0.3

const TEST_WORDS = "test spec fixture mock stub assertion coverage"
const DOCS_WORDS = "docs document documentation readme manual guide tutorial page section"

/** Flags of files that are not edited by hand. */
export const NOT_WRITTEN_HERE: number = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.output

export function asksForTests(query: QueryWords): boolean {
  return query.in(TEST_WORDS).size > 0
}

/**
 * Factor from 0 to 1 for the text of documents and data, relative to equally matching code. 0: the file is a
 * record of the project (change log, licence) and the task does not mention records; it is only named.
 */
export function roleWeight({ path, content }: Pick<FileRow, "path" | "content">, query: QueryWords): number {
  if (content === "code") return 1
  if (content !== "docs") return DATA
  const isAsked = (words: string) => query.in(words).size > 0
  const stem = stemName(path.slice(path.lastIndexOf("/") + 1)).toLowerCase()
  if (isRecordStem(stem)) return isAsked(RECORD_WORDS.join(" ")) ? 1 : 0
  return isAsked(DOCS_WORDS) ? 1 : DOCS
}
