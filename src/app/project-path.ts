import { posix } from "node:path"
import { AmanError } from "../base/errors.ts"
import { type InnerPath, innerPath } from "../git/inner-path.ts"
import type { FilesTable } from "../store/files.ts"
import { belowRoot } from "./below-root.ts"
import type { Project } from "./open-project.ts"

/**
 * A path that somebody named, if it leads to something in the project that may be shown. Throws OUTSIDE_ROOT for
 * whatever else it may lead to, links followed, and NOT_FOUND.
 */
export function projectPath(project: Project, named: string): InnerPath {
  const { root, config } = project
  const found = innerPath(root, named, [config.index.dir])
  if (found === "outside") throw outside(root, named)
  if (found === "missing") {
    throw new AmanError("NOT_FOUND", `no file ${JSON.stringify(named)} in ${root}`, {
      hint: hintFor(project, named),
    })
  }
  if (found === "private") throw secret(named)
  return found
}

function outside(root: string, named: string): AmanError {
  const quoted = JSON.stringify(named)
  const inner = belowRoot(root, named)
  if (inner !== null) {
    return new AmanError("OUTSIDE_ROOT", `${quoted} is not relative to the project root`, {
      hint: `name it so: ${inner || "."}`,
    })
  }
  return new AmanError("OUTSIDE_ROOT", `${quoted} is outside the project`, {
    hint: "name a path relative to the project root, without ..",
  })
}

const MOST_NAMED = 3
const MOST_LOOKED_AT = 50

/** What is probably meant: lines behind the path, or a file of that name elsewhere. */
function hintFor(project: Project, named: string): string {
  const files = filesOf(project)
  const bare = /^(.+):\d+(?:-\d*)?$/.exec(named)?.[1]
  if (bare !== undefined && files?.byPath(bare))
    return `name the file as ${bare}, and its lines apart from it`
  const name = posix.basename(bare ?? named)
  const others = name === "" ? [] : (files?.pathsWith(name, MOST_LOOKED_AT) ?? [])
  const same = others.filter((path) => posix.basename(path) === name).slice(0, MOST_NAMED)
  if (same.length === 0) return "paths are relative to the project root"
  return `paths are relative to the project root; of that name there is ${same.join(", ")}`
}

/** Who looks for a hint fails for none. */
function filesOf(project: Project): FilesTable | undefined {
  try {
    return project.reader()?.store.files
  } catch {
    return undefined
  }
}

/** For what may hold keys or passwords, by its name or its text. */
export function secret(path: string): AmanError {
  return new AmanError("OUTSIDE_ROOT", `${JSON.stringify(path)} may hold secrets and is never read`, {
    hint: "open it yourself",
  })
}
