import type { FileView } from "./file-view.ts"

/**
 * The types that a name may have at a place, by what declares it: a parameter or receiver of the function around, or a
 * field of the file. Null where nothing says so.
 */
export function typesOf(name: string, line: number, file: FileView): ReadonlySet<string> | null {
  const around = file.enclosing(line, ({ kind }) => kind === "function" || kind === "method")
  const declared = around && declaredIn(around.signature, name, file.family)
  if (declared) return declared
  const field = file.symbols.find((symbol) => symbol.name === name && FIELDS.has(symbol.kind))
  return field ? declaredIn(field.signature, name, file.family) : null
}

const FIELDS: ReadonlySet<string> = new Set(["field", "property", "variable", "constant"])

/** `store: Store`, `s *Store`, `Store store`: by how the language writes it. */
function declaredIn(signature: string, name: string, family: string): ReadonlySet<string> | null {
  const escaped = RegExp.escape(name)
  const pattern = BEHIND.test(family)
    ? new RegExp(`(?<![\\w.])${escaped}\\??\\s*:\\s*([^,=(){}]+)`)
    : family === "go"
      ? new RegExp(`(?<![\\w.])${escaped}\\s+([\\w.*[\\]]+)`)
      : new RegExp(`([A-Za-z_][\\w.:]*(?:<[^<>]*>)?)[\\s*&?]+\\$?${escaped}(?!\\w)`)
  const type = pattern.exec(signature)?.[1]
  if (type === undefined) return null
  const words = (type.match(/[A-Za-z_]\w*/g) ?? []).filter((word) => !NO_TYPES.has(word))
  return words.length === 0 ? null : new Set(words)
}

const BEHIND = /^(?:js|python|rust|swift)$/

const NO_TYPES: ReadonlySet<string> = new Set(
  `readonly mut dyn impl null undefined const final private protected public static any unknown Promise Array
  ReadonlyArray Optional List Option Result Arc Rc Box Vec def fun func fn return new var let val async await object
  Object interface auto`.split(/\s+/),
)

/** Whether a type is one of these, or extends one of them as far as its file says. */
export function isOneOf(
  owner: string,
  types: ReadonlySet<string>,
  bases: (type: string) => Iterable<string>,
): boolean {
  const seen = new Set<string>()
  let next: string[] = [...types]
  for (let depth = 0; depth < MOST_BASES && next.length > 0; depth++) {
    if (next.includes(owner)) return true
    for (const type of next) seen.add(type)
    next = next.flatMap((type) => [...bases(type)]).filter((type) => !seen.has(type))
  }
  return false
}

const MOST_BASES = 6
