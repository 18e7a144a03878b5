import { Ajv2020 } from "ajv/dist/2020.js"

/** What is wrong with a value by a JSON schema, each with its place; empty: nothing. */
export function schemaCheck(schema: object): (value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  // Only a name of the draft; this reader knows the newest and what was before it.
  const { $schema: _, ...rest } = schema as { readonly $schema?: string }
  const check = ajv.compile(rest)
  return (value) => {
    check(value)
    return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}
