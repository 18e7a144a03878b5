type Node = { [key: string]: unknown }

const DEFINITIONS = "#/$defs/"

/**
 * Joins the parts of a schema that are schemas of their own ("$id") into one schema that contains all
 * definitions.
 */
export function flatSchema(schema: object): object {
  const flat = structuredClone(schema) as Node & { $defs: Node }
  delete flat["$id"]
  let parts = 0
  const visit = (value: unknown, prefix: string): void => {
    if (typeof value !== "object" || value === null) return
    const node = value as Node
    const inside = node["$id"] === undefined ? prefix : takeOut(node, `part${parts++}.`)
    if (typeof node["$ref"] === "string")
      node["$ref"] = node["$ref"].replace(DEFINITIONS, DEFINITIONS + inside)
    for (const child of Object.values(node)) visit(child, inside)
  }
  /** Moves the definitions of a part to the top, under this prefix. */
  const takeOut = (part: Node, prefix: string): string => {
    const own = (part["$defs"] ?? {}) as Node
    for (const key of ["$id", "$schema", "$defs"]) delete part[key]
    for (const [name, definition] of Object.entries(own)) {
      flat.$defs[prefix + name] = definition
      visit(definition, prefix)
    }
    return prefix
  }
  for (const definition of Object.values({ ...flat.$defs })) visit(definition, "")
  return flat
}
