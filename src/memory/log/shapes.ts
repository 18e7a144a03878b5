import type { Json } from "../entries/entry.ts"

/** Returns an error message for a JSON value, which `at` names; null when the value is a T. */
export type ShapeCheck<T> = { (value: unknown, at: string): string | null; readonly of?: T }

/** The type of the values that a check accepts. */
export type Checked<Check> = Check extends ShapeCheck<infer T> ? T : never

export const text: ShapeCheck<string> = (value, at) =>
  typeof value === "string" ? null : `${at} is not a text`

export const number: ShapeCheck<number> = (value, at) =>
  typeof value === "number" && Number.isFinite(value) ? null : `${at} is not a number`

/** Any JSON object. */
export const anyObject: ShapeCheck<{ readonly [key: string]: Json }> = (value, at) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? null : `${at} is not an object`

export function isOneOf<T extends string>(choices: readonly T[]): ShapeCheck<T> {
  return (value, at) =>
    choices.some((choice) => choice === value) ? null : `${at} is not one of ${choices.join(", ")}`
}

export function isNullOr<T>(check: ShapeCheck<T>): ShapeCheck<T | null> {
  return (value, at) => (value === null ? null : check(value, at))
}

export function isListOf<T>(check: ShapeCheck<T>): ShapeCheck<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) return `${at} is not a list`
    for (const [index, item] of value.entries()) {
      const wrong = check(item, `${at}[${index}]`)
      if (wrong !== null) return wrong
    }
    return null
  }
}

type Fields = Readonly<Record<string, ShapeCheck<unknown>>>
type Shaped<F extends Fields, Needed extends keyof F> = {
  readonly [Name in Needed]: Checked<F[Name]>
} & { readonly [Name in Exclude<keyof F, Needed>]?: Checked<F[Name]> }

/** An object with no other fields than these, of which it has at least the `needed` ones. */
export function shaped<F extends Fields, Needed extends keyof F & string = keyof F & string>(
  fields: F,
  needed: readonly Needed[] = Object.keys(fields) as Needed[],
): ShapeCheck<Shaped<F, Needed>> {
  const known = new Map(Object.entries(fields))
  return (value, at) => {
    const wrong = anyObject(value, at)
    if (wrong !== null) return wrong
    const object = value as Record<string, unknown>
    const missing = needed.find((name) => !Object.hasOwn(object, name))
    if (missing !== undefined) return `${at} has no ${missing}`.trimStart()
    for (const [name, held] of Object.entries(object)) {
      const check = known.get(name)
      if (check === undefined) return `${at} has an unknown field ${JSON.stringify(name)}`.trimStart()
      const problem = check(held, at === "" ? name : `${at}.${name}`)
      if (problem !== null) return problem
    }
    return null
  }
}
