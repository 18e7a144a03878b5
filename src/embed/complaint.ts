const LONGEST = 160
/** So many characters in a row that we sent ourselves make it a quotation. */
const QUOTED = 20

/**
 * What a server said against a request, in a line: its status, and its own words where they are some and quote
 * neither the key nor what was sent, because errors are logged and shown, and project text is not.
 */
export function complaintOf(status: number, body: string, sent: string, secret?: string): string {
  const words = wordsOf(body)
  const isOurs = secret !== undefined && secret !== "" && words.includes(secret)
  const said = words === "" || isOurs || quotes(words, sent) ? "" : `: ${words}`
  return `${WHAT[status] ?? `answered with status ${status}`}${said}`
}

const WHAT: Readonly<Record<number, string>> = {
  401: "wants a key, or another one (401)",
  403: "forbids it (403)",
  404: "does not have that model or address (404)",
  429: "is asked too often (429)",
}

/** `{"error": "…"}` as Ollama has it, `{"error": {"message": "…"}}` as OpenAI does. */
function wordsOf(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: string | { message?: string } }
    const message = typeof error === "string" ? error : error?.message
    if (typeof message !== "string") return ""
    return message
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
      .trim()
      .slice(0, LONGEST)
  } catch {
    return ""
  }
}

function quotes(words: string, sent: string): boolean {
  for (let at = 0; at + QUOTED <= words.length; at++) {
    if (sent.includes(words.slice(at, at + QUOTED))) return true
  }
  return false
}
