/*
 * Reads Rails' routes: which routes a line declares for an action of a controller (`railsRoutes`), and which lines add an
 * action to the resource of the block around them (`railsMembers`).
 */

import { blocksAround, indentOf } from "./route-blocks.ts"

/** The path of a Rails' resource that leads to an action, with its method. */
const RAILS_PATHS: Readonly<Record<string, string>> = {
  index: "GET /NAME",
  show: "GET /NAME/:id",
  new: "GET /NAME/new",
  edit: "GET /NAME/:id/edit",
  create: "POST /NAME",
  update: "PATCH /NAME/:id",
  destroy: "DELETE /NAME/:id",
}

/** The routes that a line of Rails' routes declares for an action, without the paths of the blocks around it. */
export function railsRoutes(line: string, action: string): string[] {
  const [, kind, name] = /^\s*(resources?)\b\s*\(?\s*:(\w+)/.exec(line) ?? []
  const standard = RAILS_PATHS[action]
  if (kind !== undefined)
    return standard === undefined
      ? []
      : [standard.replace("NAME", name!).replace(kind === "resource" ? "/:id" : "", "")]
  const [, method, path] = /^\s*(get|post|put|patch|delete|match)\s*\(?\s*["':]\/?([\w/:-]+)/.exec(line) ?? []
  if (method === undefined) return []
  const verb = method === "match" ? "" : `${method.toUpperCase()} `
  return [`${verb}/${path}`]
}

/** A line that adds an action to the resource of the block around it, as `get :preview, on: :member` does. */
export type RailsMember = {
  /** Index of the line. */
  readonly at: number
  /** The HTTP method in capitals. */
  readonly method: string
  /** True if the route is below the path of the resource, not below `/:id` of one of its members. */
  readonly isOfAll: boolean
}

/** The lines that add an action to `resources :NAME` in a file of Rails' routes. */
export function railsMembers(lines: readonly string[], resource: string, action: string): RailsMember[] {
  const pattern = new RegExp(
    `^\\s*(get|post|put|patch|delete)\\s*\\(?\\s*[:"']${RegExp.escape(action)}\\b["']?(?!.*\\bto:)`,
  )
  const opens = new RegExp(`^\\s*resources?\\b\\s*\\(?\\s*[:"']${RegExp.escape(resource)}\\b`)
  return lines.flatMap((text, at) => {
    const method = pattern.exec(text)?.[1]
    const around = method === undefined ? undefined : blocksAround(lines, at, "config/routes.rb")[0]
    if (method === undefined || around === undefined || !opens.test(lines[around.at]!)) return []
    const between = lines
      .slice(around.at + 1, at)
      .findLast((each) => indentOf(each) < indentOf(text) && each.trim() !== "")
    const isOfAll = /\bon:\s*:collection\b/.test(text) || /^\s*collection\b/.test(between ?? "")
    return [{ at, method: method.toUpperCase(), isOfAll }]
  })
}
