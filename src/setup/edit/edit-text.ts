import { hookEntries } from "../hook-entry.ts"
import { serverEntry } from "../server-entry.ts"
import type { Wish } from "../wish.ts"
import type { Filled, Inserted } from "./json-insert.ts"
import { restoreContainers } from "./json-remove.ts"
import { fulfilJson, withdrawJson } from "./json-wishes.ts"
import { fulfilSection, withdrawSection } from "./markdown-section.ts"
import { fulfilToml, tomlTable, withdrawToml } from "./toml-block.ts"
import { Unfit } from "./unfit.ts"

/**
 * A text with all that is wished for in it. What comes of a text that held nothing of ours is taken out again at once,
 * to see that it can be: one that would not be byte for byte what it was is not changed.
 */
export function fulfil(text: string, wishes: readonly Wish[]): Inserted {
  const filled: Filled[] = []
  let now = text
  for (const wish of wishes) {
    const done = fulfilOne(now, wish)
    now = done.text
    filled.push(...done.filled)
  }
  if (now !== text && withdraw(text, wishes, []) === text && withdraw(now, wishes, filled) !== text) {
    throw new Unfit("it is written in a way that cannot be changed and changed back")
  }
  return { text: now, filled }
}

/** A text without them, and with its containers as they were. */
export function withdraw(text: string, wishes: readonly Wish[], filled: readonly Filled[]): string {
  const without = wishes.reduceRight(withdrawOne, text)
  return filled.length === 0 ? without : restoreContainers(without, filled)
}

/** What a person would put into the file by hand. */
export function byHand(wish: Wish): string {
  switch (wish.kind) {
    case "server": {
      const { key, shape, program } = wish
      if (shape === null) return tomlTable(key, program.command).join("\n")
      return asJson({ [key]: { aman: serverEntry(shape, program.command) } })
    }
    case "hook": {
      const events = hookEntries(wish).map(({ name, value }) => [name, [value]] as const)
      return asJson({ hooks: Object.fromEntries(events) })
    }
    case "permissions":
      return asJson(wish.path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), wish.values))
    case "section":
    case "whole":
      return wish.text.trimEnd()
  }
}

function fulfilOne(text: string, wish: Wish): Inserted {
  if (wish.kind === "section") return { text: fulfilSection(text, wish.text), filled: [] }
  if (wish.kind === "server" && wish.shape === null) return { text: fulfilToml(text, wish), filled: [] }
  return fulfilJson(text, wish)
}

function withdrawOne(text: string, wish: Wish): string {
  if (wish.kind === "section") return withdrawSection(text)
  if (wish.kind === "server" && wish.shape === null) return withdrawToml(text, wish)
  return withdrawJson(text, wish)
}

function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
