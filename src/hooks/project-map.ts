import { readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { Project } from "../app/project/open-project.ts"
import { replaceFile } from "../base/create-file.ts"
import { sha256 } from "../base/files.ts"
import { log } from "../base/log.ts"
import { OpenFolder } from "../base/open-folder.ts"
import { userDataDir } from "../base/paths.ts"
import { version } from "../base/version.ts"
import type { HookSources } from "./hook-sources.ts"
import { stampOf } from "./notes/note-words.ts"
import { sanitizeLine } from "./page.ts"

const MAX_LINE = 160

export type ProjectMap = {
  readonly lines: readonly string[]
  /** True if it was not cached. */
  readonly isNew: boolean
}

/**
 * The project's map as lines. Building it for a large project takes longer than a session start should, so it
 * is cached until the index changes.
 */
export async function projectMap(sources: HookSources, tokens: number): Promise<ProjectMap> {
  const { project } = sources
  const stamp = sources.fromIndex(({ store }) => stampOf(store.path), null)
  if (project === null || stamp === null) return NONE
  const key = `${sha256(project.root).slice(0, 32)} ${version} ${stamp} ${tokens}`
  const kept = read(key)
  if (kept !== null) return { lines: kept, isNew: false }
  // An empty map is cached first: if the deadline ends the process while it builds the map, later sessions
  // start without a map instead of being ended in the same way.
  keep(key, [])
  try {
    const lines = await draw(project, tokens)
    if (lines.length > 0) keep(key, lines)
    return { lines, isNew: true }
  } catch (error) {
    log.warn("done without", { what: "map", message: error instanceof Error ? error.message : String(error) })
    return NONE
  }
}

const NONE: ProjectMap = { lines: [], isNew: false }

async function draw(project: Project, tokens: number): Promise<string[]> {
  const { mapProject } = await import("../app/map/map-project.ts")
  const { mapText } = await import("../app/map/map-text.ts")
  const map = await mapProject(project, { refresh: false })
  if (map.files === 0) return []
  return mapText(map, { tokens })
    .split("\n")
    .map((line) => sanitizeLine(line, MAX_LINE))
    .filter(Boolean)
}

function read(key: string): string[] | null {
  try {
    const [first, ...lines] = readFileSync(pathOf(key), "utf8").split("\n")
    return first === key ? lines : null
  } catch {
    return null
  }
}

function keep(key: string, lines: readonly string[]): void {
  const path = pathOf(key)
  try {
    using folder = OpenFolder.open(dirname(path), { make: 0o700 })
    replaceFile(join(folder.at, basename(path)), [key, ...lines].join("\n"))
  } catch {
    // The map is built again next time.
  }
}

function pathOf(key: string): string {
  return join(userDataDir(), "hooks", "maps", `${key.split(" ", 1)[0]}.txt`)
}
