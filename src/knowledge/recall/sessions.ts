import type { RecallDocument } from "./document.ts"

/** Entries that were said in one conversation, in their order. */
export class Sessions {
  readonly #members = new Map<string, Member[]>()
  readonly #of: (Member[] | undefined)[] = []

  add(slot: number, document: RecallDocument): void {
    const key = keyOf(document)
    if (key === null) return
    const members = this.#members.get(key) ?? []
    if (members.length === 0) this.#members.set(key, members)
    const member = { slot, ordinal: document.ordinal, at: document.recordedAt, id: document.id }
    let at = members.length
    while (at > 0 && order(members[at - 1]!, member) > 0) at--
    members.splice(at, 0, member)
    this.#of[slot] = members
  }

  remove(slot: number, document: RecallDocument): void {
    const members = this.#of[slot]
    if (members === undefined) return
    members.splice(
      members.findIndex((member) => member.slot === slot),
      1,
    )
    this.#of[slot] = undefined
    if (members.length === 0) this.#members.delete(keyOf(document)!)
  }

  all(): Iterable<readonly Member[]> {
    return this.#members.values()
  }
}

export type Member = {
  readonly slot: number
  readonly ordinal: number | null
  readonly at: string
  readonly id: string
}

function keyOf({ project, session }: RecallDocument): string | null {
  return session === null ? null : `${project ?? ""}\n${session}`
}

function order(a: Member, b: Member): number {
  const byOrdinal = (a.ordinal ?? 0) - (b.ordinal ?? 0)
  if (byOrdinal !== 0) return byOrdinal
  if (a.at !== b.at) return a.at < b.at ? -1 : 1
  return a.id < b.id ? -1 : 1
}
