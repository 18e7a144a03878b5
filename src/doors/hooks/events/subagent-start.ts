import { topics } from "../../../memory/index.ts"
import type { HookSources } from "../hook-sources.ts"
import { HookPage, sanitizeLine, TOOL_TOKENS } from "../page.ts"

/** Context for a sub-agent: the topics of the notes, and the tools and commands that query notes and code. */
export function subagentStart(sources: HookSources): string | null {
  const page = new HookPage(TOOL_TOKENS)
  page.add(topicLines(sources))
  page.add(howToAsk(sources))
  return page.text
}

export function topicLines({ entries, now }: HookSources): string[] {
  if (entries.length === 0) return []
  const all = topics(entries, now.toISOString())
  const largest = [...all].sort((a, b) => b.entries - a.entries).slice(0, 10)
  const named = largest.map(({ topic, entries: count }) => `${sanitizeLine(topic, 40)} (${count})`).join(", ")
  const more = all.length > largest.length ? ", …" : ""
  return [
    `${entries.length} ${entries.length === 1 ? "note" : "notes"} of earlier sessions, on: ${named}${more}`,
  ]
}

export function howToAsk({ entries, isIndexed }: HookSources): string[] {
  return [
    ...(entries.length > 0 ? ['To query notes: the tool recall, or aman recall "QUESTION"'] : []),
    ...(isIndexed
      ? [
          'To find code: the tool search with the question and, in names, 3 to 8 names the code may use, or aman search --names "NAME NAME" "QUESTION"; aman symbol NAME',
        ]
      : []),
  ]
}
