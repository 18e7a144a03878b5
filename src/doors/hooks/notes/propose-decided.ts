import { AmanError, log } from "../../../base/index.ts"
import { type Entry, loadedCheckEntry, loadedEntryRows, propose, type Role } from "../../../memory/index.ts"
import { isFunctionWord } from "../../../text/index.ts"
import type { HookCall } from "../agents/hook-call.ts"
import type { HookSources } from "../hook-sources.ts"
import { decidedSentences } from "./decided-sentences.ts"

/** If a note contains at least this share of a sentence's words, the sentence counts as a repetition of the note. */
const MIN_SHARED = 0.75

/**
 * Proposes to remember the sentences of a prompt, or of an agent's last message, that state a decision, unless a note
 * already says the same.
 */
export function proposeDecided({ event, prompt, lastMessage }: HookCall, sources: HookSources): void {
  const [text, role]: [string, Role] = event === "stop" ? [lastMessage, "agent"] : [prompt, "person"]
  for (const sentence of decidedSentences(text)) {
    // A sentence that a note already contains is not proposed; an agent often repeats a note that a hook has shown to it.
    if (sources.isLate || isNoted(sentence, sources.entries) || !isStorable(sentence)) continue
    const isAdded = propose({ root: sources.root, text: sentence, role, at: sources.now.toISOString() })
    if (isAdded) log.info("proposed to remember a sentence", { event })
  }
}

function isNoted(sentence: string, entries: readonly Entry[]): boolean {
  const { comparableText } = loadedEntryRows()
  const words = [...comparableText(sentence).words].filter((word) => !isFunctionWord(word) && !CUES.has(word))
  return entries.some(({ text }) => {
    const noted = comparableText(text).words
    return words.filter((word) => noted.has(word)).length >= MIN_SHARED * words.length
  })
}

/** Words that signal a decision; they are not compared, because they say nothing about its content. */
const CUES: ReadonlySet<string> = new Set(
  "decided decision agreed chose settled went standardized convention rule policy now always never remember please".split(
    " ",
  ),
)

/** False for a text that looks like a password or key, or that is refused for another reason. */
function isStorable(text: string): boolean {
  const { checkFields } = loadedCheckEntry()
  try {
    checkFields({ text })
    return true
  } catch (error) {
    if (error instanceof AmanError) return false
    throw error
  }
}
