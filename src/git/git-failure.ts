const MOST_LINES = 3
const MOST_CHARACTERS = 300

// Progress, and what git says in any case.
const IDLE =
  /^(?:(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Unpacking|Total|Updating)\b|Please make sure|and the repository exists|From |hint: |\s*$|(?:remote: )?=+$)/

// What follows from another line.
const AFTERMATH = /^Could not read from remote repository|^the remote end hung up|^early EOF|^expected flush/

/** What went wrong, out of what git and ssh said: on one line, without names and passwords in addresses. */
export function failureOf(told: string): string {
  const lines = told
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => !IDLE.test(line))
    .map((line) => line.replace(/^(?:fatal|error|ERROR): /, ""))
  const causes = lines.filter((line) => !AFTERMATH.test(line))
  const telling = [...new Set(causes.length > 0 ? causes : lines)].slice(-MOST_LINES).join("; ")
  const clean = withoutCredentials(telling.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " "))
  return clean.length > MOST_CHARACTERS ? `${clean.slice(0, MOST_CHARACTERS)}…` : clean
}

/** A name or a password in an address is nobody's to see. */
export function withoutCredentials(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/\s'"]*@/giu, "$1")
}
