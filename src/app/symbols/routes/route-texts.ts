/** What the text of a route says: its path, its parameters, and what comes before it. */

import { isParameter, type LiteralInCode, routeText } from "../../../symbols/literals.ts"

/**
 * The route of a call that passes a function on, as `bricks.get("/bricks", listBricks)` does. The name of the router
 * alone does not show that the call declares a route.
 */
export function passedOn(line: string, name: string): LiteralInCode[] {
  const found = /\.(get|post|put|patch|delete|all)\(\s*["'`](\/[^"'`]*)["'`]\s*,(.*)$/.exec(line)
  const route = found === null || !wholeWord(name).test(found[3]!) ? null : routeText(found[2]!, false)
  return route === null ? [] : [declaredRoute(`${methodAnd(found![1])}${route}`)]
}

function wholeWord(name: string): RegExp {
  return new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$(])`)
}

/** "GET " for `get`; nothing for a call that declares a route for any method. */
export function methodAnd(call: string | undefined): string {
  return call === undefined || /^(?:all|route)$/i.test(call) ? "" : `${call.toUpperCase()} `
}

/** True if two paths are equal part by part, where a parameter equals any part. */
export function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return (
    one.length === other.length &&
    one.every((part, at) => part === other[at] || isParameter(part) || isParameter(other[at]!))
  )
}

/** True if the line writes other parts before the route, so that it means another route than the one below a prefix. */
export function writesPrefix({ text }: LiteralInCode, place: { readonly text: string }): boolean {
  const start =
    pathOf(text)
      .split("/")
      .find((each) => each !== "" && !isParameter(each)) ?? ""
  const at = place.text.toLowerCase().indexOf(start.toLowerCase())
  const before = /["'`]([^"'`\s]*)$/.exec(place.text.slice(0, at))?.[1] ?? ""
  return /[A-Za-z]/.test(before.replace(/^\w+:\/\/[^/]*|[$#]?\{[^}]*\}/g, ""))
}

/** The text of a route as a declaration. */
export function declaredRoute(text: string): LiteralInCode {
  return { kind: "route", role: "declared", text }
}

/** A route without `/api` or `/v1` before it, which clients often write once for all routes; null if too little is left. */
export function withoutApiPath(route: LiteralInCode): LiteralInCode | null {
  const text = route.text.replace(/^((?:[A-Z]+ )?)(?:\/(?:api|rest|v\d+))+(?=\/[^/]+\/[^/])/i, "$1")
  return text === route.text ? null : { ...route, text, isBelowPrefix: true }
}

/** True for the declaration of a route. */
export function isDeclaredRoute({ kind, role }: LiteralInCode): boolean {
  return kind === "route" && role === "declared"
}

/** A route without its first part; null if less than two parts would be left. */
export function withoutFirstPart(route: string): string | null {
  const shorter = route.replace(/^((?:[A-Z]+ )?)\/[^/]+/, "$1")
  return /\/[^/]+\/[^/]/.test(shorter) && /\/[A-Za-z]{2}/.test(shorter) ? shorter : null
}

/** The path of a route, without its method. */
export function pathOf(route: string): string {
  return route.replace(/^[A-Z]+ /, "")
}

/** True if a part of the route stands for any value. */
export function hasParameter(route: string): boolean {
  return pathOf(route).split("/").some(isParameter)
}
