/**
 * ask: every verb once, whatever holds the code.
 *
 * A source answers search, context, grep, symbol, read, map and log. A project of this machine is one, so is the clone of
 * another repository, a team's server, and several sources together.
 *
 * Words: a clone is a copy of another repository, one commit deep; a revision is the published index of one commit, a blob
 * a piece of it, named by its hash.
 *
 * Version: VERSION of the list of clones.
 */

export { errorResponse, failure, jsonBody, parseAs } from "./api/json-http.ts"
export { isSameText } from "./api/same-text.ts"
export {
  folderName,
  formatAddress,
  parseAddress,
  type RepoPlaces,
  repositoryFolders,
  repositoryName,
} from "./clones/address.ts"
export { newState } from "./clones/manifest.ts"
export { pull, remoteBranches } from "./clones/pull.ts"
export { type GuideSection, searchGuides } from "./help/guides.ts"
export { openBrowser } from "./project/open-browser.ts"
export type { RecordedCall } from "./project/recorded-calls.ts"
export {
  type HttpAddresses,
  type HttpOptions,
  type ServeOptions,
  TOOL_PROFILES,
  type ToolOptions,
  type ToolProfile,
  type UiOptions,
} from "./project/serve-options.ts"
export { type IndexRevision, ServedProject } from "./project/served-project.ts"
export {
  limitedSettings,
  type SettingProblem,
  type ShownSetting,
  validateSettings,
} from "./project/settings.ts"
export { askEach, type Part, type PartAnswer, type PartKind } from "./repositories/ask-each.ts"
export {
  type Configured,
  chooseRepositories,
  openClone,
  type RepositoriesStatus,
  type Repository,
  type RepositoryStatus,
  repositoryAt,
} from "./repositories/configured.ts"
export {
  askRepository,
  besideAnswer,
  bestHere,
  NO_OTHER_NODES,
  type OpenClone,
  type OtherNode,
  type OtherNodes,
  type RepositoryFile,
  type RepositorySearch,
  type StatisticsAnswer,
  valueOrError,
} from "./repositories/search.ts"
export { ServedRepositories } from "./repositories/served-repositories.ts"
export { type Root, ServedRoots, type UseMemory } from "./repositories/served-roots.ts"
export { several } from "./repositories/several.ts"
export type { SyncEvent, SyncedRepository, SyncReport } from "./repositories/sync.ts"
export {
  type AnswerOf,
  earlySource,
  projectSource,
  type RequestOf,
  type Source,
  searchAll,
  sourceOf,
  type Verb,
  withNotices,
} from "./source.ts"
export type { ListedRepositories } from "./team/listed-repositories.ts"
export {
  type BlobSource,
  blobsIn,
  getBlob,
  layOut,
  parseManifest,
  publicKeyOf,
  REVISION,
  type RevisionFacts,
  type RevisionManifest,
  signOffer,
} from "./team/revision.ts"
export type { LocalSide } from "./team/team-source.ts"

// Loaded when first needed, so that a command starts fast.
export const loadRepositories = () => import("./repositories/configured.ts")
export const loadGuides = () => import("./help/guides.ts")
export const loadHandDown = () => import("./team/hand-down.ts")
export const loadListedRepositories = () => import("./team/listed-repositories.ts")
export const loadReadLog = () => import("./project/read-log.ts")
export const loadRecordedCalls = () => import("./project/recorded-calls.ts")
export const loadServedProject = () => import("./project/served-project.ts")
export const loadServedRepositories = () => import("./repositories/served-repositories.ts")
export const loadServedRoots = () => import("./repositories/served-roots.ts")
export const loadSettings = () => import("./project/settings.ts")
export const loadSeveralSources = () => import("./repositories/several.ts")
export const loadSyncModule = () => import("./repositories/sync.ts")
export const loadTeamSource = () => import("./team/team-source.ts")
export const loadWithoutServer = () => import("./team/without-server.ts")
