/**
 * tree: which files are there, and what would git say about them?
 *
 * `git` answers what git would say about a path, without running git where it can; `scan` walks the project and counts
 * what it leaves out.
 *
 * Words: a snapshot is the packed list of all files of a scan, with which the next one is compared (index/changes).
 *
 * Version: FORMAT of the snapshot; raise it when the list of skipped names changes, too.
 */

export {
  type ChangedFile,
  type Commit,
  changedLines,
  committedText,
  filesNotCommitted,
  headCommit,
  historyOf,
  isEditedSince,
  type LineRange,
  type LinesBefore,
  linesBefore,
  recentlyCommitted,
  recentSince,
  remoteOf,
  renamedTo,
  rootCommit,
} from "./git/changes.ts"
export { readGitConfig, readSmallFile } from "./git/config-file.ts"
export { addIgnoreText, ignoreVerdict } from "./git/ignore/ignore-scope.ts"
export { ANY, CharSet, DEEP, FOLDERS, matchesWildcards, SET, STAR } from "./git/ignore/wildcards.ts"
export {
  failureOf,
  GIT_FAILURES,
  type GitFailure,
  isCommitId,
  isOutOfMemory,
  runGit,
  runOwnGit,
} from "./git/run/run.ts"
export { readTrackedFiles } from "./git/tracked-files.ts"
export {
  findWorkTree,
  historyRefusal,
  type InnerPath,
  innerPath,
  isOwnedWorkTree,
  isStillThere,
  type WorkTree,
  workTreeAt,
} from "./git/work-tree.ts"
export { largeFilesLeftOut, leftOutAt, leftOutNamed, leftOutNote, raiseFileSize } from "./scan/left-out.ts"
export {
  finishWalk,
  RULE_FILES,
  readFolder,
  scanProject,
  skippedEntries,
  startWalk,
  type UnchangedFolder,
  walkFrom,
  watch,
} from "./scan/scan-folder.ts"
export { isTooLarge, LARGE_BYTES } from "./scan/scan-names.ts"
export {
  addCounts,
  isRacy,
  optionsKey,
  type PackedScan,
  packScan,
  readPacked,
  type ScannedFile,
  type ScannedFolder,
  type ScanOptions,
  type ScanResult,
  scanOptionsOf,
  unpackScan,
} from "./scan/scan-snapshot.ts"
