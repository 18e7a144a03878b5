import { isAbsolute, join } from "node:path"
import type { ToolUse } from "./hook-call.ts"

const SEARCHERS: ReadonlySet<string> = new Set(["rg", "grep", "egrep", "ag", "ack"])
const READERS: ReadonlySet<string> = new Set(["cat", "head", "tail", "less", "bat", "nl"])
/** Flags of these programs that take a value. */
const WITH_VALUE = /^-{1,2}(?:[ABCmntgTefj]|n|type|glob|include|exclude|max-count|lines|context)$/

/**
 * The files that a shell command reads or the pattern that it searches for; needed for agents without tools for that.
 * Judged by the first command, or by the second after a `cd`.
 */
export function readByShell(command: string): ToolUse {
  const [first = [], second = []] = command
    .slice(0, 2000)
    .split(/&&|\|\||[;|\n]/)
    .map((part) => (part.match(WORD) ?? []).map(unquoted))
  const isElsewhere = first[0] === "cd" && first.length === 2
  return used(isElsewhere ? second : first, isElsewhere ? first[1]! : "")
}

function used(words: string[], folder: string): ToolUse {
  if (words[0] === "git" && words[1] === "grep") words.shift()
  const [program = "", ...rest] = words
  const others = operands(rest)
  if (SEARCHERS.has(program)) return { kind: "search", paths: [], pattern: others[0] ?? "" }
  // sed -n 1,40p FILE
  const isPartOf = program === "sed" && rest.includes("-n") && others.length === 2
  const file = isPartOf ? others[1] : READERS.has(program) ? others[0] : undefined
  return file === undefined
    ? { kind: "shell", paths: [], pattern: "" }
    : { kind: "file", paths: [isAbsolute(file) ? file : join(folder, file)], pattern: "" }
}

const WORD = /"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+/g

function unquoted(word: string): string {
  return /^(["']).*\1$/s.test(word) ? word.slice(1, -1) : word
}

function operands(words: readonly string[]): string[] {
  const found: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (!word.startsWith("-") || word === "-") found.push(word)
    // After -e PATTERN, the next word is the pattern.
    else if (word !== "-e" && word !== "-n" && WITH_VALUE.test(word)) i++
  }
  return found
}
