/** A folder that is to be told from others, with the marks it bears. */
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

export type KnownPath = {
  readonly path: string
  readonly isThere: boolean
  /** Another work tree of the repository that was seen. */
  readonly isSameRepository: boolean
}

/** Which project a folder is that nobody knows by its path; where that is not sure, none, and those it could be. */
export type ProjectMatch = {
  readonly project: KnownProject | null
  readonly candidates: readonly KnownProject[]
}

/**
 * The same remote, or the same repository in another folder, is the same project. The same first commit alone is,
 * where the project's folders are gone: it was moved. Where they are still there it may be a fork, a copy or what was
 * made from a template, and nothing is guessed.
 */
export function matchProject(seen: SeenProject, known: readonly KnownProject[]): ProjectMatch {
  const likeness = Map.groupBy(known, (project) => likenessOf(seen, project))
  const same = likeness.get("same") ?? []
  const moved = likeness.get("moved") ?? []
  const perhaps = likeness.get("perhaps") ?? []
  if (same.length === 1) return { project: same[0]!, candidates: [] }
  if (same.length > 1) return { project: null, candidates: same }
  return moved.length === 1 && perhaps.length === 0
    ? { project: moved[0]!, candidates: [] }
    : { project: null, candidates: [...moved, ...perhaps] }
}

function likenessOf(seen: SeenProject, known: KnownProject): "same" | "moved" | "perhaps" | "other" {
  const { remotes, rootCommits, paths } = known
  if (seen.remote !== null && remotes.includes(seen.remote)) return "same"
  if (paths.some(({ isSameRepository }) => isSameRepository) || isCloneOf(seen, known)) return "same"
  if (seen.rootCommit !== null && rootCommits.includes(seen.rootCommit)) {
    const isGone = paths.every(({ isThere }) => !isThere)
    const isOther = seen.remote !== null && remotes.length > 0
    // Taken over from another machine it never had a folder here.
    return isGone && !(paths.length === 0 && isOther) ? "moved" : "perhaps"
  }
  return isNamesake(seen, known) ? "perhaps" : "other"
}

/** Of a folder on this machine, one way or the other. */
function isCloneOf({ remote, root }: SeenProject, { remotes, paths }: KnownProject): boolean {
  return paths.some(({ path }) => remote === `file:${path}`) || remotes.includes(`file:${root}`)
}

/** A folder without git has nothing but its name when it was moved. */
function isNamesake({ root }: SeenProject, { name, remotes, rootCommits, paths }: KnownProject): boolean {
  return (
    nameOf(root) === name &&
    remotes.length + rootCommits.length === 0 &&
    paths.length > 0 &&
    paths.every(({ isThere }) => !isThere)
  )
}

export function nameOf(root: string): string {
  return root.split(/[\\/]/).filter(Boolean).at(-1) ?? root
}
