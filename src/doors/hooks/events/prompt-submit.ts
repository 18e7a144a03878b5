import { type CodeMatch, matchFiles } from "../../../search/index.ts"
import type { HookCall } from "../agents/hook-call.ts"
import { codeLine } from "../code-lines.ts"
import { type HookSources, STRONG } from "../hook-sources.ts"
import { entryLines } from "../notes/entry-lines.ts"
import { entriesForPrompt } from "../notes/prompt-entries.ts"
import { lastPart, promptNames } from "../notes/prompt-names.ts"
import { HookPage, PROMPT_TOKENS } from "../page.ts"
import type { SessionLog } from "../session-log.ts"

/**
 * Lines with notes that probably answer the prompt, and code that shares many words with it. Those already shown in this session are left out.
 */
export async function promptSubmit(
  { prompt }: HookCall,
  sources: HookSources,
  session: SessionLog,
): Promise<string | null> {
  const page = new HookPage(PROMPT_TOKENS)
  const names = promptNames(prompt, (name) => sources.mayName([name]) && isSymbol(name, sources))
  const mayKnow = sources.mayMatch(prompt) || sources.mayName(names)
  const recalled = mayKnow && !sources.isLate ? await sources.recalled(prompt) : NOTHING
  const found = entriesForPrompt(recalled, names, () => sources.entries)
  const notes = found.map(({ hit, mark }) => ({ entry: hit.entry, mark }))
  page.section("Memories that match the prompt:", await entryLines(notes, sources), (at) =>
    session.claims("entry", notes[at]!.entry.id),
  )
  const code = sources.isLate ? [] : matchingCode(prompt, sources)
  page.section(
    "Code that matches the prompt:",
    code.map(({ line }) => line),
    (at) => session.claims("code", code[at]!.path),
  )
  sources.keepNoteWords()
  return page.text
}

const NOTHING = { hits: [], confidence: 0 }

/** True if the name is a symbol of the code; headings of documents do not count. */
function isSymbol(name: string, sources: HookSources): boolean {
  const last = lastPart(name)
  return sources.fromIndex(
    ({ store }) =>
      store.symbols
        .findByName(name, 20)
        .some((symbol) => symbol.kind !== "section" && lastPart(symbol.name) === last),
    false,
  )
}

function matchingCode(prompt: string, sources: HookSources): (CodeMatch & { line: string })[] {
  return sources.fromIndex((index, root) => {
    const { files, strength } = matchFiles(index.keyword(), prompt, 3, STRONG)
    if (strength < STRONG) return []
    return files.flatMap((file) => {
      const line = codeLine(index, root, file)
      return line === null ? [] : [{ ...file, line }]
    })
  }, [])
}
