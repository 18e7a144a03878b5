/*
 * Changes to JSON settings files: the server entry, hooks and permissions. For each kind there is a function that
 * makes the change and one that finds what to remove; only text of aman's own entries is inserted, replaced or
 * removed.
 */

import { getNodeValue, type Node } from "jsonc-parser"
import { DIALECTS } from "../clients/hook-dialects.ts"
import { commandWords, type Handler, hookEntries, isOurHook } from "../clients/hook-entry.ts"
import { isOurPermission } from "../clients/permissions.ts"
import { isCalledAman } from "../clients/program.ts"
import { launchOf, serverEntry } from "../clients/server-entry.ts"
import type { Change, HookChange, ServerChange } from "../planned-change.ts"
import {
  endOf,
  type FilledContainer,
  type InsertResult,
  insertJson,
  type JsonPath,
  jsonTree,
  lineAt,
  nodeAt,
  removeJson,
} from "./json-edit.ts"
import { indentAt, indentUnit, lineEndOf, NotEditable } from "./text-style.ts"

/** Name of our server in every client. */
const NAME = "aman"

/** Returns the text with the change made; unchanged if it is already there. */
export function applyJson(text: string, change: Change): InsertResult {
  switch (change.kind) {
    case "server":
      return applyServer(text, change)
    case "hook":
      return applyHooks(text, change)
    case "permissions":
      return applyPermissions(text, change.path, change.values)
    default:
      throw new Error(`no ${change.kind} in JSON`)
  }
}

/** Returns the text without anything that this change may have added. */
export function revertJson(text: string, change: Change): string {
  switch (change.kind) {
    case "server":
      return isOurServer(text, change) ? removeJson(text, [change.key, NAME]) : text
    case "hook":
      return removeAll(text, ourHooks(text, change))
    case "permissions":
      return removeAll(text, elementsAt(text, change.path, isOurPermission))
    default:
      throw new Error(`no ${change.kind} in JSON`)
  }
}

function applyServer(text: string, { key, shape, program }: ServerChange): InsertResult {
  const path = [key, NAME]
  const node = nodeAt(jsonTree(text), path)
  if (node === undefined) {
    return insertJson(text, [key], { key: NAME, value: serverEntry(shape!, program.command) })
  }
  const launch = launchOf(getNodeValue(node))
  if (launch?.isOurs !== true) {
    throw new NotEditable(`another server is named ${NAME} there`, lineAt(text, node.offset))
  }
  // An entry of this name with another command than aman, such as npx, was chosen by the user and is kept.
  const isRight = !isCalledAman(launch.command) || program.isSame(launch.command)
  return { text: isRight ? text : replaceJson(text, [...path, ...launch.at], program.command), filled: [] }
}

function isOurServer(text: string, { key }: ServerChange): boolean {
  const node = nodeAt(jsonTree(text), [key, NAME])
  return node !== undefined && launchOf(getNodeValue(node))?.isOurs === true
}

function applyHooks(text: string, change: HookChange): InsertResult {
  const filled: FilledContainer[] = []
  let now = text
  for (const { name, value, handler } of hookEntries(change)) {
    const [existing] = ourHooks(now, change, name)
    if (existing === undefined) {
      const done = insertJson(now, ["hooks", name], { value })
      filled.push(...done.filled)
      now = done.text
    } else now = correctHook(now, existing, handler, change)
  }
  return { text: now, filled }
}

/** Makes a hook that runs another aman binary run this one; the rest of the hook is unchanged. */
function correctHook(text: string, path: JsonPath, handler: Handler, { program }: HookChange): string {
  const { args, ...rest } = getNodeValue(nodeAt(jsonTree(text), path)!)
  const [command] = commandWords({ ...rest, args })
  if (command !== undefined && program.isSame(command)) return text
  if (args === undefined && !("args" in handler)) {
    return replaceJson(text, [...path, "command"], handler.command)
  }
  return replaceJson(text, path, { ...rest, ...handler })
}

/** Paths of aman's handlers for one event, or for all events of the agent. */
function ourHooks(text: string, { dialect }: HookChange, only?: string): JsonPath[] {
  const root = jsonTree(text)
  const { events, isGrouped } = DIALECTS[dialect]
  const names = only === undefined ? events.map(({ name }) => name) : [only]
  return names.flatMap((name) => {
    const path = ["hooks", name]
    const entries = elementsOf(nodeAt(root, path))
    if (!isGrouped) return ourHandlers(entries, path)
    return entries.flatMap((group, index) => ourInGroup(group, [...path, index]))
  })
}

/** Paths of aman's handlers in a group of handlers. */
function ourInGroup(group: Node, path: JsonPath): JsonPath[] {
  const handlers = elementsOf(nodeAt(group, ["hooks"]))
  return ourHandlers(handlers, [...path, "hooks"])
}

function ourHandlers(handlers: readonly Node[], path: JsonPath): JsonPath[] {
  return handlers.flatMap((handler, index) => (isOurHook(getNodeValue(handler)) ? [[...path, index]] : []))
}

function applyPermissions(text: string, path: readonly string[], values: readonly string[]): InsertResult {
  const filled: FilledContainer[] = []
  let now = text
  for (const value of values) {
    if (elementsAt(now, path, (each) => each === value).length > 0) continue
    const done = insertJson(now, path, { value })
    filled.push(...done.filled)
    now = done.text
  }
  return { text: now, filled }
}

function elementsAt(
  text: string,
  path: readonly string[],
  isWanted: (value: unknown) => boolean,
): JsonPath[] {
  return elementsOf(nodeAt(jsonTree(text), path)).flatMap((element, index) =>
    isWanted(element.value) ? [[...path, index]] : [],
  )
}

/**
 * Removes the values from last to first, so that the remaining paths stay valid; also removes groups that have no
 * handlers left.
 */
function removeAll(text: string, paths: readonly JsonPath[]): string {
  return paths.toReversed().reduce((now, path) => {
    const holder = path.slice(0, -2)
    const handlers = nodeAt(jsonTree(now), path.slice(0, -1))
    const isLastOfGroup =
      path.at(-2) === "hooks" && typeof holder.at(-1) === "number" && handlers?.children?.length === 1
    return removeJson(now, isLastOfGroup ? holder : path)
  }, text)
}

function elementsOf(node: Node | undefined): readonly Node[] {
  return node?.type === "array" ? (node.children ?? []) : []
}

/** Replaces the value at an existing path. */
function replaceJson(text: string, path: JsonPath, value: unknown): string {
  const node = nodeAt(jsonTree(text), path)
  if (node === undefined) return text
  const indent = indentAt(text, node.offset)
  const isOnLine = !text.slice(node.offset, endOf(node)).includes("\n")
  const json = JSON.stringify(value, null, isOnLine ? "" : indentUnit(text))
  return (
    text.slice(0, node.offset) + json.replaceAll("\n", lineEndOf(text) + indent) + text.slice(endOf(node))
  )
}
