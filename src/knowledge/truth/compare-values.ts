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
  const other = new Set<ValueType>()
  let same = false
  let namesOld = false
  for (const type of older.valuesByType.keys()) {
    if (!newer.valuesByType.has(type) || (type === "name" && isLong)) continue
    const { isOther, isKept, isJoined } = compareOne(
      ownValues(older, newer, type),
      ownValues(newer, older, type),
    )
    if (isOther) other.add(type)
    // Names and days are said again of other things too.
    if (isKept && type !== "name" && type !== "date") same = true
    if (isJoined && type !== "date" && displaces(newer, type)) namesOld = true
  }
  return { other, same, namesOld }
}

function displaces(newer: Statement, type: ValueType): boolean {
  return newer.displaces || (newer.replaces && type !== "name")
}

/** Of one type; a name that the other sentence has as a plain word is none of this one's own. */
function ownValues(one: Statement, other: Statement, type: ValueType): readonly Value[] {
  const values = one.valuesByType.get(type) ?? []
  if (type !== "name") return values
  const named = other.valuesByType.get("name") ?? []
  const isNamed = (value: Value) => named.some((v) => v.value === value.value)
  return values.filter((value) => isNamed(value) || !other.lower.includes(value.value))
}

/** Values of one type: each has its own, some are kept, or the newer has the older's and one more. */
function compareOne(a: readonly Value[], b: readonly Value[]) {
  const onlyA = a.filter((v) => !has(b, v))
  const onlyB = b.filter((v) => !has(a, v))
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

/** In longer sentences names are no rivals: something is always called otherwise. */
const MOST_WORDS = 14
