import { charactersIn } from "../../text/token-count.ts"

type ToolAnswer = { readonly data: object; readonly text: string }

/**
 * Min characters for each item of a list; a list loses items before the texts of its items get shorter than
 * this.
 */
const MIN_TEXT_SIZE = 400

/** Cuts an answer to about `tokens`: the text, and in the data first long texts, then long lists. */
export function fitAnswer({ data, text }: ToolAnswer, tokens: number): ToolAnswer {
  const room = charactersIn(tokens)
  return { data: fitPage(data as Fields, room), text: fitText(text, room) }
}

function fitText(text: string, room: number): string {
  if (text.length <= room) return text
  const line = text.lastIndexOf("\n", room)
  const kept = text.slice(0, line > room / 2 ? line : room).toWellFormed()
  return `${kept}\n… cut: ${kept.length} of ${text.length} characters. Request less (limit, offset, a filter), or raise max_tokens.`
}

type Fields = { readonly [name: string]: unknown }

/** If entries were dropped, the next page begins with the first of them. */
function fitPage(data: Fields, room: number): object {
  const fitted = fitValue(data, room) as Fields
  const [all, kept] = [data["entries"], fitted["entries"]]
  if (!Array.isArray(all) || !Array.isArray(kept) || kept.length === all.length) return fitted
  return { ...fitted, next_offset: Number(data["offset"] ?? 0) + kept.length }
}

function fitValue(value: unknown, room: number): unknown {
  if (typeof value === "string")
    return value.length <= room ? value : `${value.slice(0, room).toWellFormed()}…`
  if (typeof value !== "object" || value === null || jsonLength(value) <= room) return value
  return Array.isArray(value) ? fitList(value, room) : fitFields(value as Fields, room)
}

/** Gives each item an equal share of the remaining room, until there is no room for another. */
function fitList(items: readonly unknown[], room: number): unknown[] {
  const kept: unknown[] = []
  let left = room
  for (const [at, item] of items.entries()) {
    if (left < MIN_TEXT_SIZE && kept.length > 0) break
    const fitted = fitValue(item, Math.max(MIN_TEXT_SIZE, Math.floor(left / (items.length - at))))
    left -= jsonLength(fitted)
    kept.push(fitted)
  }
  return kept
}

/** Keeps short fields whole, and divides the remaining room among the long ones. */
function fitFields(fields: Fields, room: number): Fields {
  const sized = Object.entries(fields).map(([name, value]) => ({ name, value, size: jsonLength(value) }))
  let left = room
  let count = sized.length
  const fitted = new Map<string, unknown>()
  for (const { name, value, size } of sized.toSorted((a, b) => a.size - b.size)) {
    fitted.set(name, fitValue(value, Math.max(MIN_TEXT_SIZE, Math.floor(left / count))))
    left -= Math.min(size, left)
    count--
  }
  return Object.fromEntries(sized.map(({ name }) => [name, fitted.get(name)]))
}

function jsonLength(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0
}
