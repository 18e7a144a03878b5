import { userInfo } from "node:os"
import { join } from "node:path"
import { homeDir } from "../../base/paths.ts"
import { readGitConfig } from "../../git/config-file.ts"
import type { Knowledge } from "../../memory/knowledge.ts"
import { receivedIds } from "../../memory/sharing/shared-state.ts"

/**
 * Names of the user of this machine: the system's user name, name and e-mail of the user's git configuration,
 * and authors of entries that a person wrote on this machine.
 */
export function userNames(knowledge: Knowledge, dataDir: string, project: string): string[] {
  const received = receivedIds(dataDir, project)
  const authors = knowledge.events().flatMap(({ id, change }) => {
    if (received.has(id) || (change.type !== "stored" && change.type !== "revised")) return []
    const { author, role, session } = change.fields
    return author && role === "person" && !session ? [author] : []
  })
  return [...new Set([...systemNames(), ...authors])]
}

function systemNames(): string[] {
  const home = homeDir()
  const files = home === "" ? [] : [join(home, ".config/git/config"), join(home, ".gitconfig")]
  const git = readGitConfig(files, { home, gitDir: null, within: null })
  return [systemUser(), git.get("user.name"), git.get("user.email")].filter((name) => !!name) as string[]
}

/** The system's user name; null when there is none, as in some containers. */
function systemUser(): string | null {
  try {
    return userInfo().username
  } catch {
    return null
  }
}
