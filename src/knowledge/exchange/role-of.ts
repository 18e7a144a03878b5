import type { Role } from "../entry.ts"

/**
 * Who a word for a speaker means; null for those whose words are not kept, a system and its tools. A name is a
 * person's, or `otherwise`.
 */
export function roleOf(word: string, otherwise: Role | null = "person"): Role | null {
  const plain = word.trim().toLowerCase()
  if (AGENTS.has(plain)) return "agent"
  if (PERSONS.has(plain)) return "person"
  return OTHERS.has(plain) ? null : otherwise
}

const AGENTS = new Set("assistant agent ai bot model claude chatgpt gpt gemini copilot".split(" "))
const PERSONS = new Set("user human person me you".split(" "))
const OTHERS = new Set("system developer tool function tool_result".split(" "))
