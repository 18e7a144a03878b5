import { AmanError } from "../base/errors.ts"
import { type InnerPath, innerPath } from "../git/inner-path.ts"
import type { Project } from "./open-project.ts"

/**
 * A path that somebody named, if it leads to something in the project that may be shown. Throws OUTSIDE_ROOT for
 * whatever else it may lead to, links followed, and NOT_FOUND.
 */
export function projectPath({ root, config }: Project, named: string): InnerPath {
  const found = innerPath(root, named, [config.index.dir])
  if (found === "outside") {
    throw new AmanError("OUTSIDE_ROOT", `${JSON.stringify(named)} is outside the project`, {
      hint: "name a path relative to the project root, without ..",
    })
  }
  if (found === "missing") {
    throw new AmanError("NOT_FOUND", `no file ${JSON.stringify(named)} in ${root}`, {
      hint: "paths are relative to the project root",
    })
  }
  if (found === "private") throw secret(named)
  return found
}

/** For what may hold keys or passwords, by its name or its text. */
export function secret(path: string): AmanError {
  return new AmanError("OUTSIDE_ROOT", `${JSON.stringify(path)} may hold secrets and is never read`, {
    hint: "open it yourself",
  })
}
