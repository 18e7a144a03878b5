import { comparable } from "./labels.ts"

/** Tags in lower case, singular, with "-" for spaces, without duplicates, sorted by code unit; no empty ones. */
export function normaliseTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(normaliseTag).filter((tag) => tag !== ""))].sort()
}

export function normaliseTag(tag: string): string {
  const plain = comparable(tag).replace(/^#+/u, "").replace(/ +/gu, "-")
  // Only the last of several words is made singular.
  const start = plain.search(/[^-_/.:]*$/u)
  return plain.slice(0, start) + singular(plain.slice(start))
}

/** The singular of an English word. Cautious, because a kept plural does less harm than a mutilated name. */
function singular(word: string): string {
  if (!/^[a-z]{4,}$/.test(word) || KEPT.has(word) || KEPT_ENDING.test(word)) return word
  const irregular = IRREGULAR.get(word)
  if (irregular !== undefined) return irregular
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`
  if (/(?:sh|ch|ss|x|zz)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith("s") ? word.slice(0, -1) : word
}

/** Endings of words that are not plurals: "class", "status", "redis", "nodejs". "apis" is a plural. */
const KEPT_ENDING = /(?:ss|us|[^p]is|js)$/

const KEPT: ReadonlySet<string> = new Set([
  ...["news", "series", "species", "lens", "alias", "canvas", "bias", "atlas", "chaos", "pandas", "always"],
  ...["https", "macos", "nixos", "centos", "cosmos", "windows", "kubernetes", "postgres", "jenkins", "rails"],
  ...["mkdocs", "emacs", "keras", "hermes", "texas", "does", "cors", "btrfs", "devops"],
  ...["graphics", "physics", "metrics", "analytics", "statistics", "semantics", "logistics"],
])
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  `cookies cookie, movies movie, caches cache, niches niche, statuses status, aliases alias, indices index,
  indexes index, queues queue, buses bus, people person`
    .split(/,\s+/)
    .map((pair) => pair.split(" ") as [string, string]),
)
