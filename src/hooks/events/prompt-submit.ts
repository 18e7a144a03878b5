import { type CodeMatch, matchFiles } from "../../search/channels/word-match.ts"
import type { HookCall } from "../agents/hook-call.ts"
import { codeLine } from "../code-lines.ts"
import { Page } from "../facts.ts"
import { entryLine } from "../notes/entry-lines.ts"
import { entriesForPrompt } from "../notes/prompt-entries.ts"
import { lastPart, promptNames } from "../notes/prompt-names.ts"
import type { HookPlace } from "../place.ts"
import type { Session } from "../session.ts"

const MAX_FILES = 3
/** Max symbols of one name to check for matching case. */
const MAX_OF_NAME = 20

/** Notes and code that share many words with the prompt, without those already shown in this session. */
export function promptSubmit({ prompt }: HookCall, place: HookPlace, session: Session): string | null {
  const { threshold, tokens } = place.config.hooks
  const page = new Page(tokens.prompt)
  const names = promptNames(prompt, (name) => place.mayName([name]) && isSymbol(name, place))
  const mayKnow = place.mayMatch(prompt) || place.mayName(names)
  const asking = { threshold, names, isLate: () => place.isLate }
  const notes = mayKnow ? entriesForPrompt(prompt, place.entries, asking) : []
  page.section(
    "Remembered, with much of what was asked:",
    notes.map((entry) => entryLine(entry, place)),
    (at) => session.claims("entry", notes[at]!.id),
  )
  const code = place.isLate ? [] : matchingCode(prompt, place)
  page.section(
    "Code with much of what was asked:",
    code.map(({ line }) => line),
    (at) => session.claims("code", code[at]!.path),
  )
  place.keepNoteWords()
  return page.text
}

/** True if the name is a symbol of the code; headings of documents do not count. */
function isSymbol(name: string, place: HookPlace): boolean {
  const last = lastPart(name)
  return place.ofIndex(
    ({ store }) =>
      store.symbols
        .findByName(name, MAX_OF_NAME)
        .some((symbol) => symbol.kind !== "section" && lastPart(symbol.name) === last),
    false,
  )
}

function matchingCode(prompt: string, place: HookPlace): (CodeMatch & { line: string })[] {
  return place.ofIndex((index, root) => {
    const { threshold } = place.config.hooks
    const { files, strength } = matchFiles(index.keyword(), prompt, MAX_FILES, threshold)
    if (strength < threshold) return []
    return files.flatMap((file) => {
      const line = codeLine(index, root, file)
      return line === null ? [] : [{ ...file, line }]
    })
  }, [])
}
