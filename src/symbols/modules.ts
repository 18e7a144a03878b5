import { LRUCache } from "lru-cache"

/** The last word of an import, lower case, without a version such as `v2`. */
export function lastPart(module: string): string {
  const parts = module.split(/[/\\.:]+/).filter((part) => part !== "" && !/^v\d+$/.test(part))
  return (parts.at(-1) ?? "").toLowerCase()
}

/** The parts of a path, lower case. In Rust, the crate `my-lib` is imported as `my_lib`. */
export function pathParts(path: string, bare: string): string[] {
  const plain = bare.toLowerCase()
  return (path.endsWith(".rs") ? plain.replaceAll("-", "_") : plain).split("/")
}

const ROOTS: ReadonlySet<string> = new Set(["crate", "self", "super", "src", "@", "~", "std", "*"])

const WORDS = new LRUCache<string, readonly string[]>({ max: 4096 })

/** The words of an import, lower case; cached, because many files have the same imports. */
export function moduleWords(module: string): readonly string[] {
  let words = WORDS.get(module)
  if (!words) {
    words = wordsIn(module)
    WORDS.set(module, words)
  }
  return words
}

function wordsIn(module: string): string[] {
  return module
    .replace(/\{[\s\S]*$/, "")
    .replace(/\.(?:h|hpp|hh|hxx|js|mjs|cjs|ts|tsx|py|rb|php)$/, "")
    .split(/[/\\.:]+|\s+/)
    .filter((word) => word !== "" && !ROOTS.has(word))
    .map((word) => word.toLowerCase())
}
