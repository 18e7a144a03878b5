import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Project } from "../app/open-project.ts"
import { log } from "../base/log.ts"
import { userDataDir } from "../base/paths.ts"
import { sha256 } from "../base/sha256.ts"
import { version } from "../base/version.ts"
import { neutral } from "./facts.ts"
import type { HookPlace } from "./place.ts"
import { stampOf } from "./store-stamp.ts"

const LONGEST_LINE = 160

export type ProjectMap = {
  readonly lines: readonly string[]
  /** Drawn just now. */
  readonly isNew: boolean
}

/**
 * A map of the project in lines. Drawing one of a large project takes longer than a session's start should, so it is
 * kept until the index changes.
 */
export async function projectMap(place: HookPlace, tokens: number): Promise<ProjectMap> {
  const { project } = place
  const stamp = place.ofIndex(({ store }) => stampOf(store.path), null)
  if (project === null || stamp === null) return NONE
  const key = `${sha256(project.root).slice(0, 32)} ${version} ${stamp} ${tokens}`
  const kept = read(key)
  if (kept !== null) return { lines: kept, isNew: false }
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
  const { mapProject } = await import("../app/map-project.ts")
  const { mapText } = await import("../app/map/map-text.ts")
  const map = await mapProject(project, { refresh: false })
  if (map.files === 0) return []
  return mapText(map, { tokens })
    .split("\n")
    .map((line) => neutral(line, LONGEST_LINE))
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
    mkdirSync(join(userDataDir(), "hooks", "maps"), { recursive: true, mode: 0o700 })
    // Whoever reads meanwhile sees the old one or the new one.
    const staging = `${path}.${process.pid}`
    writeFileSync(staging, [key, ...lines].join("\n"), { mode: 0o600 })
    renameSync(staging, path)
  } catch {
    // It is drawn again next time.
  }
}

function pathOf(key: string): string {
  return join(userDataDir(), "hooks", "maps", `${key.split(" ", 1)[0]}.txt`)
}
