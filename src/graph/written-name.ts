import { USE, type Use } from "../code/use-code.ts"

/** What the uses of a name are stored under: of a module's, `Shop.Cart`, the last part. */
export function writtenAs(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1) || name
}

/** `Shop.Cart` is meant by no `Store.Cart`. */
export function isOfOther(name: string, { flags, qualifier }: Use): boolean {
  const end = name.lastIndexOf(".")
  if (end <= 0 || (flags & USE.member) === 0 || !isNamed(qualifier)) return false
  return qualifier !== name.slice(name.lastIndexOf(".", end - 1) + 1, end)
}

/** Whether what stands before a member is a name, not `this` or an expression. */
export function isNamed(qualifier: string | null): qualifier is string {
  return qualifier !== null && qualifier !== "?" && qualifier !== "this"
}
