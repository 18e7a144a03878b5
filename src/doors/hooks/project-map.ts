import { readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { log, messageOf, OpenFolder, replaceFile, sha256, userDataDir, version } from "../../base/index.ts"
import { loadMapProject, loadMapText } from "../../context/index.ts"
import type { Project } from "../../index/index.ts"
import type { HookSources } from "./hook-sources.ts"
import { databaseStamp } from "./notes/note-words.ts"
import { sanitizeLine } from "./page.ts"

export type ProjectMap = {
  readonly lines: readonly string[]
  /** True if the map was built by this call instead of being read from the cache. */
  readonly isNew: boolean
}

/**
 * Lines with the project's summary, entry points and central definitions. Building them for a large project takes
 * longer than a session start should, so they are cached until the index changes.
 */
export async function projectMap(sources: HookSources): Promise<ProjectMap> {
  const { project } = sources
  const stamp = sources.fromIndex(({ store }) => databaseStamp(store.path), null)
  if (project === null || stamp === null) return NONE
  const key = `${sha256(project.root).slice(0, 32)} ${version} ${stamp}`
  const cachedLines = readCachedMap(key)
  if (cachedLines !== null) return { lines: cachedLines, isNew: false }
  // An empty map is cached first: if the deadline ends the process while it builds the map, later sessions
  // start without a map instead of being ended in the same way.
  keep(key, [])
  try {
    const lines = await mapLines(project)
    if (lines.length > 0) keep(key, lines)
    return { lines, isNew: true }
  } catch (error) {
    log.warn("done without", { what: "map", message: messageOf(error) })
    return NONE
  }
}

const NONE: ProjectMap = { lines: [], isNew: false }

async function mapLines(project: Project): Promise<string[]> {
  const { mapProject } = await loadMapProject()
  const { mapPlaces, projectSummary } = await loadMapText()
  const map = await mapProject(project, { refresh: false })
  if (map.files === 0) return []
  return [...projectSummary(map).split("\n"), ...mapPlaces(map)].map((line) => sanitizeLine(line, 400))
}

function readCachedMap(key: string): string[] | null {
  try {
    const [first, ...lines] = readFileSync(cachePath(key), "utf8").split("\n")
    return first === key ? lines : null
  } catch {
    return null
  }
}

function keep(key: string, lines: readonly string[]): void {
  const path = cachePath(key)
  try {
    using folder = OpenFolder.open(dirname(path), { make: 0o700 })
    replaceFile(join(folder.at, basename(path)), [key, ...lines].join("\n"))
  } catch {
    // A failure is ignored, because the next session builds the map again.
  }
}

function cachePath(key: string): string {
  return join(userDataDir(), "hooks", "maps", `${key.split(" ", 1)[0]}.txt`)
}
