import { Ajv2020 } from "ajv/dist/2020.js"

/**
 * Returns a function that lists what is wrong with a value, each with its place; empty if the value is valid.
 */
export function schemaCheck(schema: object): (value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  // Removes the name of the draft, because the validator knows only that of the newest one, though it
  // understands older ones, too.
  const { $schema: _, ...rest } = schema as { readonly $schema?: string }
  const check = ajv.compile(rest)
  return (value) => {
    check(value)
    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}
