import {
  type Configured,
  newState,
  parseAddress,
  type Repository,
  repositoryFolders,
} from "../../../src/ask/index.ts"
import { homeDir, loadReposConfig } from "../../../src/base/index.ts"
import type { PublishedRevision } from "../catalogue/revisions.ts"

/** The repository of a revision; its folders are not known until the revision is laid out. */
export function repositoryOf({ repositoryId, name, url }: PublishedRevision): Repository {
  const address = parseAddress(url, { cwd: null, home: homeDir() })
  return { id: repositoryId, name, url, address, clone: "", index: "" }
}

/** Published repositories as `Configured`, which the use cases in app/repositories take. */
export function configuredFor(
  repositories: readonly Repository[],
  published: readonly PublishedRevision[],
): Configured {
  // A published revision counts as current until the catalogue names a newer one.
  const config = { ...loadReposConfig(), syncIntervalMs: Number.MAX_SAFE_INTEGER }
  const states = Object.fromEntries(
    published.map((each) => {
      const { repositoryId, url, commit, publishedAt, files, error } = each
      const failure = error === null ? {} : { error, error_at: "its last check" }
      const times = { last_pull: publishedAt, last_attempt: publishedAt, cloned_at: publishedAt }
      const state = {
        ...newState(url),
        ...times,
        last_commit: commit,
        last_indexed: commit,
        file_count: files,
      }
      return [repositoryId, { ...state, ...failure }]
    }),
  )
  return {
    config,
    places: repositoryFolders(config.baseDir),
    repositories,
    states: () => states,
    problems: [],
  }
}
