/** What one calls. */
export const CALLABLES: ReadonlySet<string> = new Set(["function", "method", "macro"])

/** What one extends, implements or names where a type stands; a Ruby module is what classes include. */
export const TYPES: ReadonlySet<string> = new Set([
  "class",
  "interface",
  "struct",
  "enum",
  "trait",
  "type",
  "component",
  "module",
])
