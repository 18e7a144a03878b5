import { type Dirent, readdirSync } from "node:fs"
import { join } from "node:path"
import { readSmallFile } from "../git/config-file.ts"
import { addIgnoreText, ignoreVerdict } from "../git/ignore-scope.ts"
import { readState } from "../indexing/index-state.ts"
import type { Store } from "../store/store.ts"
import { leftOut } from "./notices.ts"

/** Why a whole index holds no file, and what to do about it; nothing where it holds some, or is still being made. */
export function whyEmpty(root: string, store: Store): string[] {
  if (readState(store).state !== "ready" || store.files.totals().files > 0) return []
  const { ignored = 0, excluded = 0, ...others } = leftOut(store)
  const causes = Object.entries(others).map(([reason, count]) => `${count} ${reason}`)
  if (excluded > 0)
    causes.unshift(`${excluded} excluded by .amanignore or by paths.include and paths.exclude`)
  if (ignored > 0)
    causes.unshift(`${ignored} ignored by ${ignoringFiles(root).join(" and ") || "git's rules"}`)
  if (causes.length === 0) return [`nothing is indexed: there is no file in ${root}`]
  const remedies = [
    ...(ignored > 0
      ? ["; to have it indexed though git ignores it, take it back in .amanignore: !/src"]
      : []),
    ...((others["too large"] ?? 0) > 0 ? ["; index.max_file_size says how large a file may be"] : []),
  ]
  return [`nothing is indexed: of the files and folders here ${causes.join(", ")}${remedies.join("")}`]
}

/** Which ignore files speak against something at the top; a folder further up may do so as well. */
function ignoringFiles(root: string): string[] {
  const entries = entriesOf(root)
  return [".gitignore", ".git/info/exclude"].filter((file) => {
    const rules = addIgnoreText(null, readSmallFile(join(root, file), [root]), "", false)
    return entries.some((entry) => ignoreVerdict(rules, entry.name, entry.name, entry.isDirectory()))
  })
}

/** Who looks for a reason fails for none. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
