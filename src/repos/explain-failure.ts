import { AmanError } from "../base/errors.ts"
import { type Address, nameOf } from "./address.ts"

/** What git could not do. */
export type RemoteFailure = {
  readonly step: string
  /** All that it said. */
  readonly told: string
  /** The same for people. */
  readonly shown?: string
  /** What branches there are, where the wanted one is not. */
  readonly branches?: readonly string[]
}

const MOST_BRANCHES = 8

const DAMAGED =
  /not a git repository|bad object|corrupt|loose object|index file|bad index|packfile|pack has|shallow file|\.lock'|unresolved deltas|missing (?:blob|tree|commit)|mismatched algorithms|unable to (?:read|write|create)|dubious ownership in repository at '[^']*\/\.git'/i

/** True where the clone itself is in the way; the remote has nothing to do with it. */
export function needsNewStart({ step, told }: RemoteFailure): boolean {
  if (/No space left|Disk quota/i.test(told)) return false
  return step !== "ls-remote" && (step === "reset" || DAMAGED.test(told))
}

type Hint = readonly [pattern: RegExp, hint: (name: string, isNew: boolean) => string]

const HINTS: readonly Hint[] = [
  [/Host key verification failed/i, () => "connect once by hand (ssh to that host) and confirm its key"],
  [
    /Permission denied|terminal prompts disabled|could not read (?:Username|Password)|Authentication failed|askpass/i,
    () =>
      "make `git ls-remote` of that address work without a question: ssh-agent, or git's credential helper",
  ],
  [
    /Could not resolve host/i,
    () => "check the host's name and the network; it is tried again at the next sync",
  ],
  [
    /not found|does not appear to be a git repository|not exported|does not exist|no such file/i,
    (name, isNew) =>
      isNew
        ? "check the address"
        : `check the address; aman repos remove ${name} if the repository is gone for good`,
  ],
  [/couldn't find remote ref/i, () => "check the branch or tag after # in the address"],
  [
    /dubious ownership/i,
    () => "the repository belongs to another user: git config --global --add safe.directory FOLDER",
  ],
  [
    /transport '.*' not allowed/i,
    () => "your git configuration (url.….insteadOf) leads to a transport that is not used",
  ],
  [/No space left|Disk quota/i, () => "make room, or move everything with AMAN_REPOS_BASE_DIR"],
]

/** One repository's trouble, in words for a person; `isNew`: there was no clone of it before. */
export function explain(
  { told, shown, branches }: RemoteFailure,
  address: Address,
  isNew = false,
): AmanError {
  const name = nameOf(address)
  if (branches !== undefined) {
    return new AmanError("REPOSITORY", `${name}: its HEAD names a branch that does not exist`, {
      hint: `name one after #: ${branches.slice(0, MOST_BRANCHES).join(", ")}`,
    })
  }
  const hint = HINTS.find(([pattern]) => pattern.test(told))?.[1](name, isNew)
  const why = shown || told
  return new AmanError("REPOSITORY", `${name}: ${why}`, {
    hint: hint ?? "it is tried again at the next sync; aman repos sync tries at once",
  })
}
