import { USE, type Use } from "../../code/references/use-code.ts"

/** The name under which uses are stored: the last part of a module's name such as `Shop.Cart`. */
export function storedName(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1) || name
}

/** True when a use is qualified with another module: `Store.Cart` does not mean `Shop.Cart`. */
export function isOfOtherModule(name: string, { flags, qualifier }: Use): boolean {
  const end = name.lastIndexOf(".")
  if (end <= 0 || (flags & USE.member) === 0 || !isNamed(qualifier)) return false
  return qualifier !== name.slice(name.lastIndexOf(".", end - 1) + 1, end)
}

/** True when the text before a member is a name, not `this`, `super` or an expression. */
export function isNamed(qualifier: string | null): qualifier is string {
  return qualifier !== null && qualifier !== "?" && !isOwn(qualifier)
}

/** True when the text before a member means the enclosing type or its bases. */
export function isOwn(qualifier: string | null): boolean {
  return qualifier === "this" || qualifier === "super"
}
