import { FILE_FLAG } from "../base/file-flag.ts"
import { type Attribute, type AttributeScope, attributeOf } from "../git/attributes.ts"

const FLAGS: readonly (readonly [attribute: Attribute, affirmed: number, denied: number])[] = [
  ["linguist-generated", FILE_FLAG.saidGenerated, FILE_FLAG.deniedGenerated],
  ["linguist-vendored", FILE_FLAG.saidVendored, FILE_FLAG.deniedVendored],
  ["linguist-documentation", FILE_FLAG.saidDocs, FILE_FLAG.deniedDocs],
]

/**
 * FILE_FLAG bits of what `.gitattributes` says of a file, as Linguist reads it: any value but "false" affirms.
 * `own`: what the repository's `info/attributes` says, which goes before.
 */
export function saidOf(
  scope: AttributeScope | null,
  own: AttributeScope | null,
  path: string,
  name: string,
): number {
  if (scope === null && own === null) return 0
  let said = 0
  for (const [attribute, affirmed, denied] of FLAGS) {
    let value = attributeOf(own, attribute, path, name)
    if (value === undefined) value = attributeOf(scope, attribute, path, name)
    if (value === undefined || value === null) continue
    said |= value === false || value === "false" ? denied : affirmed
  }
  return said
}
