import { userInfo } from "node:os"
import { join } from "node:path"
import { AmanError, homeDir, plural, userDataDir } from "../../base/index.ts"
import { readGitConfig } from "../../tree/index.ts"
import type { Knowledge } from "../knowledge.ts"
import { receivedIds, SHARED_FOLDER, sharedStamp, sharedState } from "../sharing/shared-folder.ts"

/** Message about a shared folder, and the command to run; null if no command helps. */
type Pending = { readonly message: string; readonly command: string | null }

const SYNC = "aman memory sync"

/** Message that changes of a shared folder wait for a person's review. */
export function pendingChanges(count: number): Pending {
  const [waits, is] = count === 1 ? ["waits", "is"] : ["wait", "are"]
  const message = `${plural(count, "change")} in ${SHARED_FOLDER}/ ${waits} for review and ${is} not used yet`
  return { message, command: SYNC }
}

/** The message and its command on one line. */
export function pendingNotice({ message, command }: Pending): string {
  return command === null ? message : `${message}; run: ${command}`
}

/**
 * Message that the project at `root` comes with a shared folder that is not in use on this machine; null when there is
 * none, or sharing is on.
 */
export function unusedSharedFolder(root: string): Pending | null {
  if (sharedState(userDataDir(), root) !== null) return null
  try {
    if (sharedStamp(root) === "") return null
  } catch (error) {
    if (error instanceof AmanError) return null
    throw error
  }
  const message = `${SHARED_FOLDER}/ has memories of this project, which are not used on this machine`
  return { message, command: "aman memory share on" }
}

/**
 * Message that changes wait in the shared folder of the project at `root`; null when none wait or the folder is not
 * shared. Opens no store; if the folder has changed since the last sync, the message can therefore only say that it
 * changed.
 */
export function pendingChangesIn(root: string): Pending | null {
  const state = sharedState(userDataDir(), root)
  if (state === null) return null
  try {
    if (sharedStamp(root) !== state.stamp) return { message: `${SHARED_FOLDER}/ has changed`, command: SYNC }
  } catch (error) {
    if (error instanceof AmanError) return { message: error.message, command: null }
    throw error
  }
  return state.held === 0 ? null : pendingChanges(state.held)
}

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
