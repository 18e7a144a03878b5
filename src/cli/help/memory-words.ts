import { isAction } from "../../app/memory/actions/actions.ts"

/** Words that people and other tools use for commands of the memory, listed under the command that they mean. */
const WORDS_BY_COMMAND: Readonly<Record<string, string>> = {
  "memory delete ID": "forget remove rm del drop",
  "memory restore ID": "undo undelete unforget",
  "memory revise ID TEXT": "edit update set correct",
  "memory get ID": "show view cat open read",
  "memory list": "ls all notes memories",
  "memory purge ID": "wipe erase destroy",
  "memory history ID": "log versions blame",
  "memory stale": "outdated check verify",
  "memory invalidate ID": "expire end retire deprecate",
  "memory merge-entries IDS": "combine join dedupe",
  "memory tag ID --tag TAG": "label",
  "recall QUERY": "search find query ask lookup",
  "remember TEXT": "add new store save create note write",
  "remember TEXT --supersedes ID": "supersede supersedes replace obsolete",
}

const COMMAND_BY_WORD: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS_BY_COMMAND).flatMap(([line, words]) =>
    words.split(" ").map((word) => [word, line] as const),
  ),
)

/** The command meant by an unknown word after `aman memory`; undefined if unknown. */
export function meantByMemoryWord(word: string): string | undefined {
  return COMMAND_BY_WORD.get(word.toLowerCase())
}

/**
 * The memory command meant by an unknown word after `aman`; undefined for a word that has other meanings
 * besides memory, such as "list".
 */
export function meantByWord(word: string): string | undefined {
  if (/^(?:forget|notes|memories|note|unforget|supersede)$/.test(word)) return COMMAND_BY_WORD.get(word)
  return isAction(word) && !AMBIGUOUS_ACTIONS.test(word) ? `memory ${word}` : undefined
}

/** Actions on the memory whose names could also refer to an index, files or symbols. */
const AMBIGUOUS_ACTIONS =
  /^(?:list|get|delete|stats|history|path|refresh|link|share|sync|rebuild|export|import|related)$/
