/**
 * context: which lines will a task need, within a budget of tokens?
 *
 * Search gives files; they are cut at their definitions into pieces; each piece's gain is estimated; pieces are taken by
 * gain per token; callers, tests and memories are added. `map` describes a whole project, `passages` shows the lines of a
 * search result that answer.
 *
 * Words: a piece is lines of one file that are taken or left together; gain is the share of the needed lines it holds.
 */

export { assemble, bundleSummary, type LocateResult } from "./assemble.ts"
export {
  bundleTokens,
  CONTEXT_LIMITS,
  type ContextBundle,
  type ContextFile,
  type ContextRequest,
  contextText,
  fitBundle,
} from "./bundle.ts"
export { placesIn, searchFor } from "./context-project.ts"
export type { CodeMap } from "./map/code-map.ts"
export type { MapAnswer } from "./map/map-project.ts"
export {
  type ChunkedFile,
  type ListedProject,
  projectStatus,
  type SkippedPath,
  skippedFiles,
} from "./map/status-project.ts"
export { type MemoryHints, memoriesAbout, memoryHints } from "./memories.ts"
export { inForm } from "./passages.ts"

// Loaded when first needed, so that a command starts fast.
export const loadBundle = () => import("./bundle.ts")
export const loadCodeMap = () => import("./map/code-map.ts")
export const loadContextProject = () => import("./context-project.ts")
export const loadMapProject = () => import("./map/map-project.ts")
export const loadMapText = () => import("./map/map-text.ts")
export const loadMemories = () => import("./memories.ts")
export const loadPassages = () => import("./passages.ts")
export const loadStatusProject = () => import("./map/status-project.ts")
