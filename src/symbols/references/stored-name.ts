import { USE, type Use } from "../../code/references/use-code.ts"

/** The name under which the uses of a symbol are stored: `Cart` for a module `Shop.Cart`. */
export function storedName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1) || name
}

/** True when a use names another module: `Store.Cart` is no use of `Shop.Cart`. */
export function namesOtherModule(name: string, { flags, qualifier }: Use): boolean {
  const end = name.lastIndexOf(".")
  if (end <= 0 || (flags & USE.member) === 0 || !isNamed(qualifier)) return false
  return qualifier !== name.slice(name.lastIndexOf(".", end - 1) + 1, end)
}

/** True when the text before a member is a name, and not `this`, `super` or an expression. */
export function isNamed(qualifier: string | null): qualifier is string {
  return qualifier !== null && qualifier !== "?" && !isSelfReference(qualifier)
}

/**
 * True when the text before a member means the enclosing type or its bases: `this`, `self`, `super` and similar words.
 */
export function isSelfReference(qualifier: string | null): boolean {
  return qualifier === "this" || qualifier === "super"
}
