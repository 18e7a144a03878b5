import { delimiter, isAbsolute } from "node:path"
import { isInside } from "../base/paths.ts"

/** The user's git, only from absolute folders of PATH and never from `folder`: Windows would look there first. */
export function findGit(folder: string): string | null {
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((each) => isAbsolute(each))
  const found = Bun.which("git", { PATH: path.join(delimiter), cwd: "/" })
  return found !== null && isAbsolute(found) && !isInside(folder, found) ? found : null
}
