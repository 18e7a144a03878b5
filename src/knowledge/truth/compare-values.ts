import type { Statement } from "./statement.ts"
import type { Value, ValueType } from "./values.ts"

export type ComparedValues = {
  /** Types of which each has a value that the other has not. */
  readonly other: ReadonlySet<ValueType>
  /** One that both have, and no other of its type. */
  readonly same: boolean
  /** The newer one names the old value as what gave way. */
  readonly namesOld: boolean
}

/** How the values of two sentences stand to each other. */
export function compareValues(older: Statement, newer: Statement): ComparedValues {
  const isLong = Math.max(older.stems.length, newer.stems.length) > MOST_WORDS
  const shared = [...older.valuesByType.keys()].filter(
    (type) => newer.valuesByType.has(type) && (type !== "name" || !isLong),
  )
  if (shared.length === 0) return NONE
  const compared = shared.map((type) => {
    const [a, b] = [ownValues(older, newer, type), ownValues(newer, older, type)]
    return { type, ...compareOne(a, b) }
  })
  const displaced = (type: ValueType) => newer.displaces || (newer.replaces && type !== "name")
  return {
    other: new Set(compared.flatMap(({ type, isOther }) => (isOther ? [type] : []))),
    // Names and days are said again of other things too.
    same: compared.some(({ type, isKept }) => isKept && type !== "name" && type !== "date"),
    namesOld: compared.some(({ type, isJoined }) => isJoined && type !== "date" && displaced(type)),
  }
}

/** Of one type; a name that the other sentence has as a plain word is none of this one's own. */
function ownValues(one: Statement, other: Statement, type: ValueType): readonly Value[] {
  const values = one.valuesByType.get(type) ?? []
  if (type !== "name") return values
  const text = other.sentence.toLowerCase()
  const named = other.valuesByType.get("name") ?? []
  const isNamed = (value: Value) => named.some((v) => v.value === value.value)
  return values.filter((value) => isNamed(value) || !text.includes(value.value))
}

/** Values of one type: each has its own, some are kept, or the newer has the older's and one more. */
function compareOne(a: readonly Value[], b: readonly Value[]) {
  const [onlyA, onlyB] = [a.filter((v) => !has(b, v)), b.filter((v) => !has(a, v))]
  const isOther = onlyA.some((v) => onlyB.some((w) => isComparable(v, w)))
  const isKept = !isOther && b.length > 0 && onlyA.length < a.length
  return { isOther, isKept, isJoined: isKept && onlyA.length === 0 && onlyB.length > 0 }
}

function has(values: readonly Value[], one: Value): boolean {
  return values.some((v) => v.value === one.value && isComparable(v, one))
}

/** Three weeks are no rival of two bugs. */
function isComparable(a: Value, b: Value): boolean {
  return a.unit === b.unit || a.unit === "" || b.unit === ""
}

const NONE: ComparedValues = { other: new Set(), same: false, namesOld: false }
/** In longer sentences names are no rivals: something is always called otherwise. */
const MOST_WORDS = 14
