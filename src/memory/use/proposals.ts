import { readFileSync } from "node:fs"
import { join } from "node:path"
import {
  appendPrivate,
  isObject,
  OpenFolder,
  parseJson,
  replaceFile,
  sha256,
  userDataDir,
} from "../../base/index.ts"
import type { Role } from "../entries/entry.ts"

/** A sentence that a hook proposes to remember; nothing is stored until a person accepts it. */
export type Proposal = {
  /** Hash of project and text, so that a sentence is proposed only once, even after it was rejected. */
  readonly id: string
  /** The project's folder; null outside of projects. */
  readonly root: string | null
  readonly text: string
  readonly role: Role
  /** ISO instant. */
  readonly at: string
}

type ProposalLine = Proposal | { readonly id: string; readonly decided: Decision }
type Decision = "accepted" | "rejected"

/** Max proposals that wait for a decision; further sentences are not proposed. */
const MAX_OPEN = 100
/** Maximum bytes of the file; nothing is added to a larger one. */
const MAX_FILE = 512 * 1024
/** Maximum number of decided proposals that are kept, so that their texts are not proposed again. */
const MAX_DECIDED = 2000

const NAME = "proposals.jsonl"

/** The proposals of a folder that wait for a decision, oldest first. */
export function openProposals(root: string | null): Proposal[] {
  return undecided(readLines()).filter((proposal) => proposal.root === root)
}

/** Adds a proposal, unless its text was proposed before, or too many wait. False if it was not added. */
export function propose({ root, text, role, at }: Omit<Proposal, "id">): boolean {
  const id = sha256(JSON.stringify([root, text.toLowerCase()])).slice(0, 12)
  const lines = readLines()
  if (lines.some((line) => line.id === id) || undecided(lines).length >= MAX_OPEN) return false
  return appendProposal({ id, root, text, role, at })
}

/** Records what was decided; each decision is one appended line, so that concurrent hooks lose nothing. */
export function recordDecision(id: string, decided: Decision): boolean {
  const isNoted = appendProposal({ id, decided })
  const lines = readLines()
  if (lines.length > 2 * MAX_DECIDED) compactProposals(lines)
  return isNoted
}

/** Erases the texts of decided proposals, and the proposals that repeat one of these texts. */
export function forgetProposals(texts: readonly string[]): void {
  const lines = readLines()
  const repeats = (line: ProposalLine) => "text" in line && texts.some((text) => text.includes(line.text))
  if (lines.length > 0) compactProposals(lines.filter((line) => !repeats(line)))
}

function undecided(lines: readonly ProposalLine[]): Proposal[] {
  const decided = new Set(lines.flatMap((line) => ("decided" in line ? [line.id] : [])))
  return lines.filter((line): line is Proposal => "text" in line && !decided.has(line.id))
}

function compactProposals(lines: readonly ProposalLine[]): void {
  const decided = lines.filter((line) => "decided" in line).slice(-MAX_DECIDED)
  const text = [...undecided(lines), ...decided].map((line) => `${JSON.stringify(line)}\n`).join("")
  using folder = OpenFolder.open(hooksFolder())
  if (folder !== null) replaceFile(join(folder.at, NAME), text)
}

/** The valid lines of the file; none if it is missing or too large. */
function readLines(): ProposalLine[] {
  try {
    const text = readFileSync(join(hooksFolder(), NAME), "utf8")
    if (text.length > MAX_FILE) return []
    return text.split("\n").flatMap((line) => {
      const value = parseJson(line)
      return isLine(value) ? [value] : []
    })
  } catch {
    // The file does not exist yet, or it belongs to another user.
    return []
  }
}

function isLine(value: unknown): value is ProposalLine {
  if (!isObject(value)) return false
  const { id, text, root, role, at, decided } = value
  if (typeof id !== "string") return false
  if (decided === "accepted" || decided === "rejected") return true
  const isPlaced = root === null || typeof root === "string"
  return (
    isPlaced && typeof text === "string" && typeof at === "string" && (role === "person" || role === "agent")
  )
}

function appendProposal(line: ProposalLine): boolean {
  try {
    using folder = OpenFolder.open(hooksFolder(), { make: 0o700 })
    appendPrivate(join(folder.at, NAME), `${JSON.stringify(line)}\n`)
    return true
  } catch {
    return false
  }
}

function hooksFolder(): string {
  return join(userDataDir(), "hooks")
}
