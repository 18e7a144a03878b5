import type { GrepAnswer, GrepResult } from "../../app/search/grep-answer.ts"
import { DATA_NOTICE, fenced, inline } from "../../text/fence.ts"

/** Formats all matches for a model: counts, places, lines, and how to get the rest. */
export function grepText(answer: GrepAnswer): string {
  const { results, matches, files, searched, next_offset, notices } = answer
  const parts = [
    files === 0
      ? `No line matches in ${many(searched, "file")}. Matching is case-sensitive unless ignore_case is true; mode "hybrid" finds by meaning.`
      : `${many(matches, "line")} in ${many(files, "file")}, sorted by path. ${DATA_NOTICE}`,
    ...results.map(resultText),
  ]
  if (next_offset !== null) {
    parts.push(
      `${many(files - next_offset, "more file")}: the same call with "offset": ${next_offset}, or a narrower path.`,
    )
  }
  return [...parts, ...notices.map((notice) => `Note: ${notice}`)].join("\n\n")
}

function resultText({ repository, path, matches, text, language, cut, next_line }: GrepResult): string {
  const where = repository === undefined ? "" : `${inline(repository)} `
  const shown = `${where}${inline(path)} (${many(matches, "line")})\n${fenced(text, language)}`
  if (!cut) return shown
  const place = { ...(repository === undefined ? {} : { repository }), path }
  const rest = next_line === null ? place : { ...place, start_line: next_line }
  return `${shown}\n… more: read ${JSON.stringify(rest)}, or this call with the path alone`
}

function many(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`
}
