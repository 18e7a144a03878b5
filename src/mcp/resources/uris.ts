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

/** Where values for an argument of a prompt or a template are looked up. */
export type ValueSource = "paths" | "symbols" | "topics" | "ids" | "none"

type Template = {
  readonly name: string
  readonly title: string
  readonly about: string
  /** URI template; of `file`, what follows the URI of the root. */
  readonly uriTemplate: string
  readonly mimeType?: string
  /** Sources of completions for each of its arguments. */
  readonly sources: Readonly<Record<string, readonly ValueSource[]>>
}

const MARKDOWN = "text/markdown"

export const TEMPLATES: readonly Template[] = [
  {
    name: "file",
    title: "A file of the project",
    about: "Current text of a file",
    uriTemplate: "/{+path}",
    sources: { path: ["paths"] },
  },
  {
    name: "chunk",
    title: "The part of a file around a line",
    about: "The function, type or section around a line, as search shows it",
    uriTemplate: "aman://chunk/{+path}{?line}",
    sources: { path: ["paths"], line: ["none"] },
  },
  {
    name: "symbol",
    title: "Definition of a symbol",
    about: "Where a name is defined, with signature and documentation",
    mimeType: MARKDOWN,
    uriTemplate: "aman://symbol/{name}",
    sources: { name: ["symbols"] },
  },
  {
    name: "memory",
    title: "Something remembered",
    about: "One entry, by its id",
    mimeType: MARKDOWN,
    uriTemplate: "aman://memory/{id}",
    sources: { id: ["ids"] },
  },
  {
    name: "topic",
    title: "Memories of a topic",
    about: "The entries of a topic, in order",
    mimeType: MARKDOWN,
    uriTemplate: "aman://topic/{topic}",
    sources: { topic: ["topics"] },
  },
]

/** The URI template in a project with this root. */
export function templateIn(root: string, { uriTemplate }: Pick<Template, "uriTemplate">): string {
  return uriTemplate.startsWith("/") ? pathToFileURL(root).href + uriTemplate : uriTemplate
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
