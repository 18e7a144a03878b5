import { FILE_FLAG } from "../../base/file-flag.ts"
import { isRecordStem, RECORD_WORDS } from "../../search/record.ts"
import type { FileRow } from "../../store/file-rows.ts"
import { stemName } from "../../text/path-words.ts"
import type { QueryWords } from "./query-words.ts"

// Beside source code; chosen, not fitted: what commits change says nothing of what is worth reading for them.
const DOCS = 0.3
const TEST = 0.4
const NOT_OURS = 0.2

const TEST_WORDS = "test spec fixture mock stub assertion coverage"
const DOCS_WORDS = "docs document documentation readme manual guide tutorial page section"

const NOT_WRITTEN_HERE = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.output

/**
 * What the text of a file is worth for a task beside source code that is as likely meant, 0 to 1. A file of any role
 * is named; one that keeps a record of the project is no more than that, unless the task speaks of such.
 */
export function roleWorth(
  { path, content, flags }: Pick<FileRow, "path" | "content" | "flags">,
  query: QueryWords,
): number {
  const isAsked = (words: string) => query.in(words).size > 0
  if (content === "docs") {
    const stem = stemName(path.slice(path.lastIndexOf("/") + 1)).toLowerCase()
    if (isRecordStem(stem)) return isAsked(RECORD_WORDS.join(" ")) ? 1 : 0
    return isAsked(DOCS_WORDS) ? 1 : DOCS
  }
  if ((flags & NOT_WRITTEN_HERE) !== 0) return NOT_OURS
  return (flags & FILE_FLAG.test) !== 0 && !isAsked(TEST_WORDS) ? TEST : 1
}
