/*
 * Finds where a program starts, in this order: commands and libraries of manifests, main functions
 * (main-functions.ts), applications and their routes (app-starts.ts), then scripts, build targets and containers.
 * Each place is listed once.
 */

import { posix } from "node:path"
import { compareTexts, isObject, NOT_MAIN_FLAGS } from "../../base/index.ts"
import type { FileAmount, Store } from "../../store/index.ts"
import { type AppStart, appStarts } from "./app-starts.ts"
import { mainFunctions } from "./main-functions.ts"
import type { Manifest, Manifests } from "./manifests.ts"

/** A place where a reader starts reading, or where a user or a machine starts the program. */
export type EntryPoint = {
  readonly kind: "command" | "library" | "main" | AppStart["kind"] | "scripts" | "targets" | "container"
  readonly name: string
  readonly path: string
  /** First line of the function, 1-based; null when the entry point is the whole file. */
  readonly line: number | null
}

const MAX_ENTRY_POINTS = 40
const MAX_NAMES = 12

/** The entry points of a project, at most MAX_ENTRY_POINTS, in the order that the head of this file lists. */
export function entryPoints(store: Store, files: readonly FileAmount[], manifests: Manifests): EntryPoint[] {
  const fromManifests = [
    ...manifests.named("package.json").flatMap((each) => packageEntryPoints(each, manifests)),
    ...manifests.named("Cargo.toml").flatMap((each) => crateEntryPoints(each, manifests)),
    ...manifests.named("pyproject.toml").flatMap((each) => pythonEntryPoints(each, manifests)),
  ]
  const candidates = [
    ...fromManifests,
    ...mainFunctions(store, files, (path) => manifests.text(path)).map(({ path, line }) =>
      entryPoint("main", programName(path), path, line),
    ),
    ...appStarts(store, files, (path) => manifests.text(path)),
    ...usualFiles(files),
    ...manifests.named("package.json").slice(0, 1).flatMap(scriptsOf),
    ...["Makefile", "GNUmakefile", "justfile"].flatMap((name) => targetsOf(name, manifests)),
    ...manifests.paths("Dockerfile").flatMap((path) => containerOf(path, manifests)),
  ]
  const listedKeys = new Set<string>()
  const isNew = ({ kind, name, path }: EntryPoint) => {
    // Commands whose source is not found all point to their manifest, so they differ only by name.
    const key = kind === "command" ? `${path} ${name}` : path
    const isKnown = listedKeys.has(key)
    listedKeys.add(key).add(path)
    return !isKnown
  }
  return candidates.filter(isNew).slice(0, MAX_ENTRY_POINTS)
}

function packageEntryPoints({ path, fields }: Manifest, manifests: Manifests): EntryPoint[] {
  const { name, bin, main, module, exports } = fields
  const packageName = typeof name === "string" ? name : posix.basename(posix.dirname(path))
  const commands = commandsOf(bin, packageName)
  const exported = isObject(exports) ? firstText(exports["."] ?? exports) : firstText(exports)
  const library = exported ?? firstText(module) ?? firstText(main)
  return [
    ...Object.entries(commands).flatMap(([command, target]) =>
      typeof target === "string" ? [entryPoint("command", command, sourceOf(path, target, manifests))] : [],
    ),
    ...(library === null ? [] : [entryPoint("library", packageName, sourceOf(path, library, manifests))]),
  ]
}

/** Targets of a package's commands by name. A `bin` that is one string is a command with the package's unscoped name. */
function commandsOf(bin: unknown, packageName: string): Readonly<Record<string, unknown>> {
  if (typeof bin === "string") return { [packageName.replace(/^@[^/]*\//, "")]: bin }
  return isObject(bin) ? bin : {}
}

/** First string in an `exports` value, whose conditions may be nested; null if there is none. */
function firstText(value: unknown): string | null {
  if (typeof value === "string") return value
  if (!isObject(value)) return null
  for (const [condition, inner] of Object.entries(value)) {
    const text = condition === "types" ? null : firstText(inner)
    if (text !== null) return text
  }
  return null
}

function crateEntryPoints({ path, fields }: Manifest, manifests: Manifests): EntryPoint[] {
  const table = fields["package"]
  const name = isObject(table) && typeof table["name"] === "string" ? table["name"] : null
  if (name === null) return []
  const bins = Array.isArray(fields["bin"]) ? fields["bin"].filter(isObject) : []
  const usual = [
    { kind: "library" as const, file: "src/lib.rs" },
    { kind: "command" as const, file: "src/main.rs" },
  ]
  const commands = bins.map((bin) => {
    const binName = typeof bin["name"] === "string" ? bin["name"] : name
    const file = typeof bin["path"] === "string" ? bin["path"] : `src/bin/${binName}.rs`
    return entryPoint("command", binName, sourceOf(path, file, manifests))
  })
  return [
    ...commands,
    ...usual.flatMap(({ kind, file }) => {
      const full = posix.join(posix.dirname(path), file)
      const isNew = manifests.has(full) && commands.every((command) => command.path !== full)
      return isNew ? [entryPoint(kind, name, full)] : []
    }),
  ]
}

function pythonEntryPoints({ path, fields }: Manifest, manifests: Manifests): EntryPoint[] {
  const { project, tool } = fields
  const poetry = isObject(tool) ? tool["poetry"] : null
  const scripts = [project, poetry]
    .flatMap((table) => (isObject(table) ? [table["scripts"]] : []))
    .filter(isObject)
  return scripts.flatMap((table) =>
    Object.entries(table).flatMap(([name, target]) => {
      if (typeof target !== "string") return []
      const module = target.replace(/[:[\s].*$/s, "").replaceAll(".", "/")
      const places = ["", "src/"].flatMap((top) => [`${top}${module}.py`, `${top}${module}/__init__.py`])
      const source = places
        .map((place) => posix.join(posix.dirname(path), place))
        .find((place) => manifests.has(place))
      return [entryPoint("command", name, source ?? path)]
    }),
  )
}

/**
 * Path of the file `target` that a manifest names. If that file is not indexed, as for build output, the path of its
 * source; if no source is found, the path of the manifest.
 */
function sourceOf(manifest: string, target: string, manifests: Manifests): string {
  const folder = posix.dirname(manifest)
  const path = posix.join(folder, target)
  if (manifests.has(path)) return path
  const stem = posix.basename(path).replace(/\.d\.[cm]?ts$|\.[cm]?[jt]sx?$/, "")
  // The source of dist/node/index.js is src/node/index.ts if that exists, otherwise src/index.ts.
  const inner = posix.dirname(posix.relative(folder, path)).split("/").slice(1).join("/")
  const sources = [...new Set([inner, ""])].flatMap((below) =>
    ["src", "lib", "."].flatMap((top) =>
      ["ts", "tsx", "mts", "js", "mjs"].map((ending) => posix.join(folder, top, below, `${stem}.${ending}`)),
    ),
  )
  return sources.find((source) => manifests.has(source)) ?? manifest
}

function entryPoint(
  kind: EntryPoint["kind"],
  name: string,
  path: string,
  line: number | null = null,
): EntryPoint {
  return { kind, name, path, line }
}

/** Name of a program by its path: `cmd/server/main.go` is `server`. */
function programName(path: string): string {
  const stem = posix.basename(path).replace(/\.[^.]*$/, "")
  const folder = posix.basename(posix.dirname(path))
  return /^(?:main|__main__|program)$/i.test(stem) && folder !== "." && folder !== "src" ? folder : stem
}

/** Name of a crate by its path: `crates/shop/src/lib.rs` is `shop`. */
function crateOf(path: string): string {
  const folder = posix.dirname(path).replace(/\/?src$/, "")
  return folder === "" || folder === "." ? "lib" : posix.basename(folder)
}

/** Files with which programs usually start by their name, such as src/index.ts and manage.py. */
const USUAL =
  /^(?:src\/|app\/)?(?:index|main|app|server|cli)\.(?:[cm]?[jt]sx?|py|rb|php|swift|dart|lua|ex|zig)$|(?:^|\/)(?:__main__\.py|manage\.py|wsgi\.py|config\.ru|Program\.cs|lib\.rs|mod\.ts)$|^(?:exe|bin)\/[^/]+$/

function usualFiles(files: readonly FileAmount[]): EntryPoint[] {
  return files
    .filter(
      ({ path, flags, content }) => (flags & NOT_MAIN_FLAGS) === 0 && content === "code" && USUAL.test(path),
    )
    .map(({ path }) =>
      /(?:^|\/)lib\.rs$/.test(path)
        ? entryPoint("library", crateOf(path), path)
        : entryPoint("main", programName(path), path),
    )
    .sort(
      (one, other) =>
        one.path.split("/").length - other.path.split("/").length || compareTexts(one.path, other.path),
    )
    .slice(0, 12)
}

function scriptsOf({ path, fields }: Manifest): EntryPoint[] {
  const { scripts } = fields
  const names = isObject(scripts) ? Object.keys(scripts) : []
  return names.length === 0 ? [] : [entryPoint("scripts", `npm run ${nameList(names)}`, path)]
}

function targetsOf(name: string, manifests: Manifests): EntryPoint[] {
  return manifests
    .paths(name)
    .slice(0, 1)
    .flatMap((path) => {
      const targets = (manifests.text(path) ?? "").matchAll(/^([A-Za-z][\w-]*)[^\S\n]*:(?![:=])/gm)
      const names = [...new Set([...targets].map(([, target]) => target!))]
      return names.length === 0
        ? []
        : [entryPoint("targets", `${name === "justfile" ? "just" : "make"} ${nameList(names)}`, path)]
    })
}

function containerOf(path: string, manifests: Manifests): EntryPoint[] {
  const lines = manifests.text(path)?.match(/^(?:ENTRYPOINT|CMD)\s.*$/gim) ?? []
  return lines.length === 0 ? [] : [entryPoint("container", lines.slice(-2).join("; ").slice(0, 120), path)]
}

function nameList(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ", …" : ""
  return names.slice(0, MAX_NAMES).join(", ") + more
}
