/**
 * base: what every room needs; of code and memories only the shapes of answers.
 *
 * Question: what did the user decide, where may we read and write, and how does a process begin, fail and end?
 *
 * Words: an `AmanError` has a code, a message and a hint, and is the only error a person sees. A setting has one row in
 * `config/settings.ts`: form, limits, variable, default, who may set it, help; built-in value < the user's file < the
 * project's `.aman.yaml` < `AMAN_*` < flag. A notice says that an answer is less than it could be, and what to do.
 * A place is `path:lines`. `OpenFolder` holds a folder open, so that a link put in its way is not followed.
 *
 * Sizes: errors, paths and logs are loaded at every start; zod and YAML only if there is a settings file.
 */

export {
  type CheckResult,
  type ConfiguredEmbedding,
  coverageText,
  type Explanation,
  type HandDown,
  type IndexCoverage,
  type IndexPhase,
  type IndexProgress,
  type IndexReport,
  type Passage,
  type ReadAnswer,
  type ResultCommit,
  type ResultPlace,
  type SearchAnswer,
  type SearchedRepository,
  type SearchMode,
  type SearchRequest,
  type SearchResult,
  type SearchScale,
  type StatusAnswer,
} from "./answers.ts"
export { ByteReader, signed, unsigned } from "./bytes.ts"
export { compareTexts } from "./compare-texts.ts"
export { canBeMade, chooseIndexDir, INDEX_DIR_NAME } from "./config/index-dir.ts"
export { type Config, largestFileWithin, loadConfig } from "./config/load.ts"
export { loadReposConfig, type ReposConfig, type ServerConfig } from "./config/load-server.ts"
export {
  type ConfigFlags,
  type Environment,
  type Origin,
  PROJECT_FILE,
  resolveSettings,
  settingsFiles,
} from "./config/resolve.ts"
export { defaultValue, type Setting } from "./config/setting-form.ts"
export { SETTING_KEYS, SETTINGS, type SettingKey, type SettingValues } from "./config/settings.ts"
export type { SettingsFile } from "./config/settings-file.ts"
export { AmanError, type ErrorCode, messageOf, messageWithHint } from "./errors.ts"
export {
  declaredEncoding,
  declaredFlags,
  type EncodingName,
  encodingFlags,
  encodingOf,
  type FileEncoding,
  GUESSED_FLAG,
} from "./files/file-encoding.ts"
export { ATTRIBUTE_FLAGS, FILE_FLAG, NOT_MAIN_FLAGS, SUPPORTING_FLAGS } from "./files/file-flag.ts"
export {
  appendPrivate,
  createFile,
  entriesIn,
  fileIdentity,
  fileIdsIn,
  isPlain,
  modeIn,
  openRegularFile,
  PLAIN_FILE_FLAGS,
  readBounded,
  replaceFile,
  sha256,
  writeAll,
  writeNewFile,
} from "./files/files.ts"
export { type FileInFolder, OpenFolder, openFolderOf, pathOfOpen } from "./files/open-folder.ts"
export { GrowingF64, GrowingU32 } from "./growing.ts"
export { isObject, type JsonObject, parseJson } from "./json-value.ts"
export { isLoopback, listen } from "./listen.ts"
export {
  elapsedMs,
  enterPhase,
  hasField,
  inPhase,
  LOG_FILES,
  LOG_LEVELS,
  LOG_NAMES,
  type LogEvent,
  type LogName,
  log,
  logPath,
  logToFile,
  type PhaseTimes,
  takePhaseTimes,
} from "./log.ts"
export { bitCount, editDistance, isNear, maxDistance, nearest } from "./nearest.ts"
export { pageRank, type WalkGraph } from "./pagerank.ts"
export {
  displayPath,
  displayPaths,
  homeDir,
  isInside,
  isWritable,
  pathOfUri,
  realPlace,
  resolvedOr,
  spelledOnDisk,
  temporaryDataDir,
  toPosix,
  userConfigDir,
  userDataDir,
} from "./paths.ts"
export { firstAndMore, plural } from "./plural.ts"
export { everyHalfSecond } from "./process/heartbeat.ts"
export { InFlight } from "./process/in-flight.ts"
export { collector, machineMemoryBytes, residentBytes } from "./process/memory.ts"
export {
  endGroup,
  findProgram,
  isOutsideProjects,
  keepProgramsOutOf,
  memoryOfGroup,
  pathOutsideProjects,
} from "./process/programs.ts"
export { isCompiled, mayReportCrashes, nodeEnvironment, reexecForParsing } from "./process/reexec.ts"
export { escapeControls, isTerminal } from "./process/terminal.ts"
export { bm25, fuse, inverseDocumentFrequency, TopK } from "./ranking.ts"
export { firstAtLeast, firstNot, lastAtMost } from "./sorted.ts"
export {
  cannotWrite,
  type ErrorFields,
  errorFields,
  systemError,
} from "./system-error.ts"
export { openSystemLibrary } from "./system-library.ts"
export { commit, version } from "./version.ts"

// Loaded when first needed, so that a command starts fast.
export const loadAbortOnSignals = () => import("./signals/abort-on-signals.ts")
export const loadEditSettings = () => import("./config/edit-settings.ts")
export const loadServerSettings = () => import("./config/load-server.ts")
export const loadSettingsFile = () => import("./config/settings-file.ts")
