import type { Node } from "jsonc-parser"
import { getNodeValue } from "jsonc-parser"
import { hookEntries } from "../hook-entry.ts"
import { DIALECTS } from "../hook-events.ts"
import { isOurHook, wordsOf } from "../invocation.ts"
import { isOurPermission } from "../permissions.ts"
import { isCalledAman } from "../program.ts"
import { launchOf, serverEntry } from "../server-entry.ts"
import type { HookWish, ServerWish, Wish } from "../wish.ts"
import { type JsonPath, jsonTree, lineAt, nodeAt } from "./json-document.ts"
import { type Filled, type Inserted, insertJson } from "./json-insert.ts"
import { removeJson } from "./json-remove.ts"
import { replaceJson } from "./json-replace.ts"
import { Unfit } from "./unfit.ts"

/** The name that our server has everywhere. */
const NAME = "aman"

/** The text with what a wish wants in it; the same text where it is there already. */
export function fulfilJson(text: string, wish: Wish): Inserted {
  switch (wish.kind) {
    case "server":
      return fulfilServer(text, wish)
    case "hook":
      return fulfilHooks(text, wish)
    case "permissions":
      return fulfilPermissions(text, wish.path, wish.values)
    default:
      throw new Error(`no ${wish.kind} in JSON`)
  }
}

/** The text without anything that such a wish may have put there. */
export function withdrawJson(text: string, wish: Wish): string {
  switch (wish.kind) {
    case "server":
      return isOurServer(text, wish) ? removeJson(text, [wish.key, NAME]) : text
    case "hook":
      return removeAll(text, ourHooks(text, wish))
    case "permissions":
      return removeAll(text, elementsAt(text, wish.path, isOurPermission))
    default:
      throw new Error(`no ${wish.kind} in JSON`)
  }
}

function fulfilServer(text: string, { key, shape, program }: ServerWish): Inserted {
  const path = [key, NAME]
  const node = nodeAt(jsonTree(text), path)
  if (node === undefined) {
    return insertJson(text, [key], { key: NAME, value: serverEntry(shape!, program.command) })
  }
  const launch = launchOf(getNodeValue(node))
  if (launch?.isOurs !== true) {
    throw new Unfit(`another server is called ${NAME} there`, lineAt(text, node.offset))
  }
  // What starts aman by something else, npx for one, is the person's choice.
  const isRight = !isCalledAman(launch.command) || program.isSame(launch.command)
  return { text: isRight ? text : replaceJson(text, [...path, ...launch.at], program.command), filled: [] }
}

function isOurServer(text: string, { key }: ServerWish): boolean {
  const node = nodeAt(jsonTree(text), [key, NAME])
  return node !== undefined && launchOf(getNodeValue(node))?.isOurs === true
}

function fulfilHooks(text: string, wish: HookWish): Inserted {
  const filled: Filled[] = []
  let now = text
  for (const { name, value, handler } of hookEntries(wish)) {
    const [there] = ourHooks(now, wish, name)
    if (there === undefined) {
      const done = insertJson(now, ["hooks", name], { value })
      filled.push(...done.filled)
      now = done.text
    } else now = corrected(now, there, handler, wish)
  }
  return { text: now, filled }
}

/** A hook of ours that starts another aman starts this one; the rest of it is the person's to change. */
function corrected(
  text: string,
  path: JsonPath,
  handler: { readonly command: string; readonly args?: readonly string[] },
  { program }: HookWish,
): string {
  const { args, ...rest } = getNodeValue(nodeAt(jsonTree(text), path)!)
  const [command] = wordsOf({ ...rest, args })
  if (command !== undefined && program.isSame(command)) return text
  if (args === undefined && handler.args === undefined) {
    return replaceJson(text, [...path, "command"], handler.command)
  }
  return replaceJson(text, path, { ...rest, ...handler })
}

/** Paths of our handlers, of one event or of all that the agent has. */
function ourHooks(text: string, { dialect }: HookWish, only?: string): JsonPath[] {
  const root = jsonTree(text)
  const { events, isGrouped } = DIALECTS[dialect]
  const names = only === undefined ? events.map(({ name }) => name) : [only]
  return names.flatMap((name) => {
    const path = ["hooks", name]
    const entries = elementsOf(nodeAt(root, path))
    if (!isGrouped) return ours(entries, path)
    return entries.flatMap((group, index) => ourInGroup(group, [...path, index]))
  })
}

/** The whole group where all of it is ours, else only the handlers. */
function ourInGroup(group: Node, path: JsonPath): JsonPath[] {
  const handlers = elementsOf(nodeAt(group, ["hooks"]))
  return ours(handlers, [...path, "hooks"])
}

function ours(handlers: readonly Node[], path: JsonPath): JsonPath[] {
  return handlers.flatMap((handler, index) => (isOurHook(getNodeValue(handler)) ? [[...path, index]] : []))
}

function fulfilPermissions(text: string, path: readonly string[], values: readonly string[]): Inserted {
  const filled: Filled[] = []
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

/** From the last to the first, so that positions stay true; a group that is left without handlers goes too. */
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
