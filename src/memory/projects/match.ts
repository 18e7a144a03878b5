/** A folder whose project is to be identified, and its marks. */
export type SeenProject = {
  /** Absolute, links resolved. */
  readonly root: string
  readonly rootCommit: string | null
  readonly remote: string | null
}

export type KnownProject = {
  readonly id: string
  readonly name: string
  readonly rootCommits: readonly string[]
  readonly remotes: readonly string[]
  readonly paths: readonly KnownPath[]
}

export type KnownPath = { readonly path: string; readonly isThere: boolean }

/**
 * A known project that a folder resembles, and their common marks. A person decides whether they are the
 * same.
 */
export type ProjectCandidate = KnownProject & { readonly alike: string }

/**
 * Known projects that a folder resembles, most similar first. A resemblance proves nothing: a remote is a
 * line of text in `.git/config`, and anyone who can fetch a repository has its first commit.
 */
export function candidatesFor(seen: SeenProject, known: readonly KnownProject[]): ProjectCandidate[] {
  const rated = known.flatMap((project) => {
    const likeness = likenessOf(seen, project)
    return likeness === null ? [] : [{ ...project, alike: ALIKE[likeness], order: ORDER.indexOf(likeness) }]
  })
  return rated.sort((one, other) => one.order - other.order).map(({ order: _, ...candidate }) => candidate)
}

const ALIKE = {
  both: "the same remote and first commit",
  place: "the same path, where another folder was before",
  commit: "the same first commit",
  remote: "the same remote",
  name: "the same name, and its folder was deleted",
} as const
const ORDER = Object.keys(ALIKE)

function likenessOf(seen: SeenProject, known: KnownProject): keyof typeof ALIKE | null {
  const { root, remote, rootCommit } = seen
  const hasCommit = rootCommit !== null && known.rootCommits.includes(rootCommit)
  const hasRemote = remote !== null && known.remotes.includes(remote)
  if (hasCommit && hasRemote) return "both"
  if (known.paths.some(({ path }) => path === root)) return "place"
  if (hasCommit) return "commit"
  // When the first commits differ, an equal remote does not mean a common history.
  if (hasRemote && (rootCommit === null || known.rootCommits.length === 0)) return "remote"
  return isNamesake(seen, known) ? "name" : null
}

/** True when only the names match: a folder without git that was copied to another disk has no other mark. */
function isNamesake({ root, remote, rootCommit }: SeenProject, known: KnownProject): boolean {
  const { name, remotes, rootCommits, paths } = known
  return (
    folderName(root) === name &&
    remote === null &&
    rootCommit === null &&
    remotes.length + rootCommits.length === 0 &&
    paths.length > 0 &&
    paths.every(({ isThere }) => !isThere)
  )
}

export function folderName(root: string): string {
  return root.split(/[\\/]/).filter(Boolean).at(-1) ?? root
}
