import { comparable } from "./labels.ts"

/** Lower case, singular, with "-" for blanks, each once, sorted by code unit; empty ones are left out. */
export function normaliseTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(normaliseTag).filter((tag) => tag !== ""))].sort()
}

export function normaliseTag(tag: string): string {
  const plain = comparable(tag).replace(/^#+/u, "").replace(/ +/gu, "-")
  // Of several words the last one tells.
  const start = plain.search(/[^-_/.:]*$/u)
  return plain.slice(0, start) + singular(plain.slice(start))
}

/** Of English words only, and cautiously: a plural that stays is better than a name that is maimed. */
function singular(word: string): string {
  if (!/^[a-z]{4,}$/.test(word) || KEPT.has(word) || KEPT_ENDING.test(word)) return word
  const irregular = IRREGULAR[word]
  if (irregular !== undefined) return irregular
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`
  if (/(?:sh|ch|ss|x|zz)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith("s") ? word.slice(0, -1) : word
}

/** "class", "status", "redis", "nodejs": no plurals, but "apis". */
const KEPT_ENDING = /(?:ss|us|[^p]is|js)$/
const KEPT: ReadonlySet<string> = new Set([
  ...["news", "series", "species", "lens", "alias", "canvas", "bias", "atlas", "chaos", "pandas", "always"],
  ...["https", "macos", "nixos", "centos", "cosmos", "windows", "kubernetes", "postgres", "jenkins", "rails"],
  ...["mkdocs", "emacs", "keras", "hermes", "texas", "does", "cors", "btrfs", "devops"],
  ...["graphics", "physics", "metrics", "analytics", "statistics", "semantics", "logistics"],
])
const IRREGULAR: Readonly<Record<string, string>> = {
  ...{ cookies: "cookie", movies: "movie", caches: "cache", niches: "niche", statuses: "status" },
  ...{
    aliases: "alias",
    indices: "index",
    indexes: "index",
    queues: "queue",
    buses: "bus",
    people: "person",
  },
}
