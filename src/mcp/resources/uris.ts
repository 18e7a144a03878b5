import { fileURLToPath, pathToFileURL } from "node:url"
import { isInside, toPosix } from "../../base/paths.ts"

/** The object to which a resource URI refers. */
export type ResourceName =
  | { readonly kind: "status" | "map" }
  | { readonly kind: "file"; readonly path: string }
  /** The chunk of a file that contains a line, as search shows it. */
  | { readonly kind: "chunk"; readonly path: string; readonly line: number }
  | { readonly kind: "symbol"; readonly name: string }
  | { readonly kind: "memory"; readonly id: string }
  | { readonly kind: "topic"; readonly topic: string }

export const STATUS_URI = "aman://status"
export const MAP_URI = "aman://map"

/** URI templates; `root` is the project's root. */
export function templates(root: string) {
  return {
    file: `${pathToFileURL(root).href}/{+path}`,
    chunk: "aman://chunk/{+path}{?line}",
    symbol: "aman://symbol/{name}",
    memory: "aman://memory/{id}",
    topic: "aman://topic/{topic}",
  }
}

/** Parses a URI; null if it is not ours or refers to nothing in the project. */
export function resourceName(uri: string, root: string): ResourceName | null {
  if (uri === STATUS_URI) return { kind: "status" }
  if (uri === MAP_URI) return { kind: "map" }
  if (uri.startsWith("file:")) return fileName(uri, root)
  const url = URL.parse(uri)
  if (url?.protocol !== "aman:") return null
  const rest = decoded(url.pathname.slice(1))
  return rest === null || rest === "" ? null : amanResource(url, rest)
}

function amanResource({ host, searchParams }: URL, rest: string): ResourceName | null {
  const line = Number(searchParams.get("line") ?? "1")
  switch (host) {
    case "chunk":
      return Number.isSafeInteger(line) && line > 0 ? { kind: "chunk", path: rest, line } : null
    case "symbol":
      return { kind: "symbol", name: rest }
    case "memory":
      return { kind: "memory", id: rest }
    case "topic":
      return { kind: "topic", topic: rest }
    default:
      return null
  }
}

function fileName(uri: string, root: string): ResourceName | null {
  try {
    const full = fileURLToPath(uri)
    if (!isInside(root, full) || full === root) return null
    return { kind: "file", path: toPosix(full.slice(root.length + 1)) }
  } catch {
    // fileURLToPath throws for a URI that names another host or contains an encoded slash.
    return null
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
