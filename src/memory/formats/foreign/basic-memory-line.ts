export type Observation = {
  readonly category: string | null
  /** With its "#tags", as it stands there. */
  readonly text: string
  readonly tags: readonly string[]
  readonly context: string | null
}

export type Link = { readonly to: string; readonly relation: string; readonly isWholeLine: boolean }

/**
 * `[category] text #tag (context)`, or a text with a tag; null for what only looks like it: a task, a link, the
 * time code of a transcript. After basic-memory's docs/NOTE-FORMAT.md and its parser (2026-08).
 */
export function observationIn(item: string): Observation | null {
  if (
    /^\[[ xX/>?!-]?\](?:\s|$)/.test(item) ||
    /^\[[^\]]*\]\([^)]*\)$/.test(item) ||
    /^\[\[.*\]\]$/.test(item)
  ) {
    return null
  }
  const match = /^\[([^[\]()]+)\]\s+(.+)$/.exec(item)
  const category = match && !TIME.test(match[1]!.trim()) ? match[1]!.trim() : null
  const content = category === null ? item : match![2]!.trim()
  const tags = tagsIn(content)
  if (category === null && tags.length === 0) return null
  const context = /^(.*\S)\s*\(([^()]*)\)$/.exec(content)
  return {
    category,
    text: context ? context[1]! : content,
    tags,
    context: context ? context[2]!.trim() : null,
  }
}

/** `type [[Target]] (context)` in an item says what the relation is; any other [[Target]] is a link. */
export function relationsIn(text: string, isItem: boolean): Link[] {
  const explicit = isItem ? EXPLICIT.exec(text) : null
  if (explicit?.groups) {
    const { quoted, word, target } = explicit.groups
    return [{ relation: (quoted?.slice(1, -1) ?? word)!.trim(), to: nameOf(target!), isWholeLine: true }]
  }
  const isBare = /^\[\[[^\]]*\]\]$/.test(text.trim())
  return [...text.matchAll(/\[\[([^[\]]+)\]\]/g)].map((match) => ({
    relation: "links_to",
    to: nameOf(match[1]!),
    isWholeLine: isItem && isBare,
  }))
}

const TIME = /^\d{1,3}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:\s+-\s+[\d:.,]+)?$/
const EXPLICIT =
  /^(?:(?<quoted>"[^"]+"|'[^']+')|(?<word>[^\s"'[\]]+))\s*\[\[(?<target>[^[\]]+)\]\]\s*(?:\([^()]*\))?$/

function tagsIn(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => word.startsWith("#"))
    .flatMap((word) => word.split("#"))
    .filter((tag) => tag !== "")
}

/** "[[Target|shown]]" and "[[Target#Heading]]" name the target. */
function nameOf(target: string): string {
  return target.split(/[|#]/, 1)[0]!.trim()
}
