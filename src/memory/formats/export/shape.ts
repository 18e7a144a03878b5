/** Returns an error message for a JSON value, which `at` names; null when the value is valid. */
export type ShapeCheck = (value: unknown, at: string) => string | null

export const text: ShapeCheck = (value, at) => (typeof value === "string" ? null : `${at} is not a text`)

export const number: ShapeCheck = (value, at) =>
  typeof value === "number" && Number.isFinite(value) ? null : `${at} is not a number`

/** Any JSON object. */
export const anyObject: ShapeCheck = (value, at) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? null : `${at} is not an object`

export function isOneOf(choices: readonly string[]): ShapeCheck {
  return (value, at) =>
    choices.some((choice) => choice === value) ? null : `${at} is not one of ${choices.join(", ")}`
}

export function isNullOr(check: ShapeCheck): ShapeCheck {
  return (value, at) => (value === null ? null : check(value, at))
}

export function isListOf(check: ShapeCheck): ShapeCheck {
  return (value, at) => {
    if (!Array.isArray(value)) return `${at} is not a list`
    for (const [index, item] of value.entries()) {
      const wrong = check(item, `${at}[${index}]`)
      if (wrong !== null) return wrong
    }
    return null
  }
}

/** An object with exactly these fields; those marked with "?" may be absent, with `isPartial` all of them. */
export function shaped(fields: Readonly<Record<string, ShapeCheck>>, isPartial = false): ShapeCheck {
  const known = new Map(Object.entries(fields).map(([name, check]) => [name.replace("?", ""), check]))
  const needed = isPartial ? [] : Object.keys(fields).filter((name) => !name.endsWith("?"))
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
