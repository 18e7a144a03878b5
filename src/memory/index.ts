/**
 * memory: what was learned, and is it still true?
 *
 * `knowledge.db` holds an append-only log of events; entries, entities and relations are folds of it in the order of the
 * events' times, so that logs can be merged. `recall` ranks entries for a question, `anchors` compare them with the code.
 *
 * Words: an entry is one thing remembered; its anchors are the lines it is about; an entity is what entries name. Of a
 * pair of entries one may contradict or supersede the other. A guarded change waits until a person accepts it.
 *
 * Versions: migrations (store), ANALYSIS_VERSION and the FORMATs of recall's image and of mentions, EXPORT_VERSION.
 */

export { SourceChecker, type SourceState } from "./anchors/check.ts"
export { entriesNaming } from "./entities/code-links.ts"
export type { GraphEntity, GraphRelation, KnowledgeGraph } from "./entities/entities.ts"
export { DIRECTIONS, findEntity, listEntities, related, shortestPath } from "./entities/graph-questions.ts"
export { withoutPrivate } from "./entries/check-entry.ts"
export {
  ENTRY_KINDS,
  type Entry,
  type EntryInput,
  type EntrySource,
  type Json,
  type RememberOptions,
  ROLES,
  type Role,
} from "./entries/entry.ts"
export type { EntryField, JsonName } from "./entries/entry-fields.ts"
export { inZone } from "./entries/times.ts"
export { CONTEXT_TAG } from "./formats/injected.ts"
export { Knowledge } from "./knowledge.ts"
export { repositoryOf } from "./projects/projects.ts"
export { LIKELY } from "./recall/chance.ts"
export { strengthByHolders, type TermHolders } from "./recall/match-entries.ts"
export { analyseTerms } from "./recall/question.ts"
export { checkedForTeam } from "./sharing/team-events.ts"
export {
  ACTIONS,
  type Action,
  type ActionName,
  AGENT_ACTIONS,
  isAction,
  type KnowledgeCall,
  runCall,
  toCall,
} from "./use/actions/actions.ts"
export type { KnowledgeAnswer } from "./use/actions/answer.ts"
export { toEntryInput, visibleProjects } from "./use/entries/entry-names.ts"
export { confidenceWord, entryText, outputsWithCommits, plainEntry } from "./use/entries/entry-output.ts"
export { Memory, openMemory } from "./use/memory.ts"
export { pendingChangesIn, pendingNotice } from "./use/pending-changes.ts"
export { recall } from "./use/recall.ts"
export { rememberCompared } from "./use/remember.ts"
export {
  AGENT_SCOPES,
  DETAILS,
  type EntryOutput,
  type RecallAnswer,
  type RecallHit,
  type RecallRequest,
  type RememberAnswer,
  type RememberRequest,
  SCOPES,
} from "./use/requests.ts"
export { localProject } from "./use/sources.ts"
export { checkKnowledge } from "./use/store/check-knowledge.ts"
export { knowledgePath, type MemoryChoice, MemoryHandle } from "./use/store/memory-handle.ts"
export { topics } from "./views/views.ts"

// Loaded when first needed, so that a command starts fast.
export const loadCheckKnowledge = () => import("./use/store/check-knowledge.ts")
export const loadEmbedEntries = () => import("./use/embedding/embed-entries.ts")
export const loadEntryNames = () => import("./use/entries/entry-names.ts")
export const loadIds = () => import("./log/ids.ts")
export const loadMemory = () => import("./use/memory.ts")
export const loadMemoryHandle = () => import("./use/store/memory-handle.ts")
export const loadRecall = () => import("./use/recall.ts")
export const loadRemember = () => import("./use/remember.ts")
export const loadSharing = () => import("./use/actions/share.ts")
export const loadMemorySources = () => import("./use/sources.ts")
export const loadTeamCopy = () => import("./sharing/team-copy.ts")
export const loadedAnchorCheck = () => require("./anchors/check.ts") as typeof import("./anchors/check.ts")
export const loadedKnowledge = () => require("./knowledge.ts") as typeof import("./knowledge.ts")
export const loadedSettle = () => require("./conflicts/settle.ts") as typeof import("./conflicts/settle.ts")
export const loadedProjects = () =>
  require("./projects/projects.ts") as typeof import("./projects/projects.ts")
