import type { RecallDocument } from "./document.ts"

/** Conversations: which entries belong together, who comes before and after whom. Slots; -1 is none. */
export class Sessions {
  readonly #members = new Map<string, Member[]>()
  readonly #numbers = new Map<string, number>()
  readonly #sessionOf: number[] = []
  readonly #before: number[] = []
  readonly #after: number[] = []

  /** Numbers of sessions are below this. */
  get count(): number {
    return this.#numbers.size
  }

  of(slot: number): number {
    return this.#sessionOf[slot] ?? -1
  }

  before(slot: number): number {
    return this.#before[slot] ?? -1
  }

  after(slot: number): number {
    return this.#after[slot] ?? -1
  }

  add(slot: number, document: RecallDocument): void {
    const key = keyOf(document)
    if (key === null) {
      this.#link(-1, slot)
      this.#link(slot, -1)
      this.#sessionOf[slot] = -1
      return
    }
    const members = this.#membersOf(key)
    const member = { slot, ordinal: document.ordinal, at: document.recordedAt, id: document.id }
    let place = members.length
    while (place > 0 && order(members[place - 1]!, member) > 0) place--
    members.splice(place, 0, member)
    this.#sessionOf[slot] = this.#numbers.get(key)!
    this.#link(members[place - 1]?.slot ?? -1, slot)
    this.#link(slot, members[place + 1]?.slot ?? -1)
  }

  remove(slot: number, document: RecallDocument): void {
    const key = keyOf(document)
    const members = key === null ? [] : this.#membersOf(key)
    const place = members.findIndex((member) => member.slot === slot)
    if (place >= 0) members.splice(place, 1)
    this.#link(this.before(slot), this.after(slot))
    this.#link(-1, slot)
    this.#link(slot, -1)
    this.#sessionOf[slot] = -1
  }

  #membersOf(key: string): Member[] {
    let members = this.#members.get(key)
    if (members === undefined) {
      members = []
      this.#members.set(key, members)
      this.#numbers.set(key, this.#numbers.size)
    }
    return members
  }

  #link(first: number, second: number): void {
    if (first >= 0) this.#after[first] = second
    if (second >= 0) this.#before[second] = first
  }
}

type Member = {
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
