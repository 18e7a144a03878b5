import { posix } from "node:path"
import { compareTexts, NOT_MAIN_FLAGS } from "../../base/index.ts"
import { startConvention } from "../../parse/index.ts"
import type { FileAmount, Store } from "../../store/index.ts"

/** The place where an Android, Apple or web application begins; `line` is 1-based, null for a whole file. */
export type AppStart = {
  readonly kind: "app" | "route"
  readonly name: string
  readonly path: string
  readonly line: number | null
}

/** Maximum number of files that are read because they may contain an entry point. */
const MAX_READ = 40

const MAX_ROUTES = 8

type ReadText = (path: string) => string | null

/**
 * Applications first, then the tables of their routes, then pages and controllers; in each group the files in the
 * fewest folders come first.
 */
export function appStarts(store: Store, files: readonly FileAmount[], textOf: ReadText): AppStart[] {
  const mainFiles = files.filter(({ flags }) => (flags & NOT_MAIN_FLAGS) === 0).toSorted(byDepth)
  const paths = new Map(mainFiles.map(({ id, path }) => [id, path]))
  return [
    ...mainFiles
      .filter(({ path }) => path.endsWith("AndroidManifest.xml"))
      .slice(0, MAX_READ)
      .flatMap(({ path }) => ofAndroid(store, paths, textOf(path) ?? "")),
    ...mainFiles
      .filter(({ path }) => APPLE.test(path))
      .slice(0, MAX_READ)
      .flatMap(({ path }) => ofApple(path, textOf(path) ?? "")),
    ...mainFiles
      .filter(({ path }) => PAGE.test(path))
      .slice(0, MAX_READ)
      .flatMap(({ path }) => ofPage(path, textOf(path) ?? "", files)),
    ...mainFiles
      .filter(({ path }) => ROUTE_TABLE.test(path))
      .slice(0, MAX_ROUTES)
      .map(({ path }) => routeAt(path, "routes")),
    ...mainFiles
      .flatMap(({ path }) => {
        const what = startConvention(path)
        return what === null ? [] : [routeAt(path, what)]
      })
      .slice(0, MAX_ROUTES),
  ]
}

function byDepth({ path: one }: FileAmount, { path: other }: FileAmount): number {
  return one.split("/").length - other.split("/").length || compareTexts(one, other)
}

function routeAt(path: string, name: string): AppStart {
  return { kind: "route", name, path, line: null }
}

const COMPONENT = /<(application|activity|activity-alias|service|receiver)\b([^>]{0,4000})>/g
const NAME = /\bandroid:(?:name|targetActivity)\s*=\s*"([\w.$]{1,200})"/

/** The application class, and the activities that the launcher shows. */
function ofAndroid(store: Store, paths: ReadonlyMap<number, string>, manifest: string): AppStart[] {
  const parts = [...manifest.slice(0, MAX_MANIFEST_CHARS).matchAll(COMPONENT)]
  return parts.flatMap(({ 0: tag, 1: kind, 2: attributes = "", index }, at) => {
    const inner = manifest.slice(index + tag.length, parts[at + 1]?.index ?? index + tag.length + 4_000)
    const isStart =
      kind === "application" ||
      (inner.includes("android.intent.category.LAUNCHER") && !attributes.endsWith("/"))
    const target = /\bandroid:targetActivity\s*=\s*"([\w.$]{1,200})"/.exec(attributes)?.[1]
    const name = target ?? NAME.exec(attributes)?.[1]
    return isStart && name !== undefined ? typeNamed(store, paths, name) : []
  })
}

const MAX_MANIFEST_CHARS = 200_000

/**
 * The class with a qualified name such as `com.shop.Main`: a class `Main` in a file whose path ends with the name's
 * parts; otherwise the first class `Main`. Empty if there is none.
 */
function typeNamed(store: Store, paths: ReadonlyMap<number, string>, qualified: string): AppStart[] {
  const parts = qualified.split(".").filter((part) => part !== "")
  const name = parts.at(-1) ?? ""
  const ending = new RegExp(`(?:^|/)${parts.map(RegExp.escape).join("/")}\\.\\w+$`)
  const classes = store.symbols.findByName(name).flatMap(({ fileId, startLine, kind }) => {
    const path = kind === "class" ? paths.get(fileId) : undefined
    return path === undefined ? [] : [{ kind: "app" as const, name, path, line: startLine }]
  })
  const exact = classes.filter(({ path }) => ending.test(path))
  return (exact.length > 0 ? exact : classes).slice(0, 1)
}

const APPLE = /(?:App|AppDelegate|[Mm]ain|Application)\.swift$/
const APPLE_START = /^@(?:main|UIApplicationMain|NSApplicationMain)\b/m

function ofApple(path: string, text: string): AppStart[] {
  const match = APPLE_START.exec(text)
  if (match === null) return []
  const name = /\b(?:struct|class|enum)\s+(\w+)/.exec(text.slice(match.index, match.index + 500))?.[1]
  const line = text.slice(0, match.index).split("\n").length
  return [{ kind: "app", name: name ?? posix.basename(path, ".swift"), path, line }]
}

const PAGE = /^(?:[\w.-]+\/){0,3}index\.html$/
const SCRIPT = /<script\b[^>]{0,500}\bsrc\s*=\s*["']([^"']{1,300})["']/g

/** The scripts of the project that a page loads. */
function ofPage(path: string, text: string, files: readonly FileAmount[]): AppStart[] {
  const folder = posix.dirname(path)
  return [...text.slice(0, MAX_MANIFEST_CHARS).matchAll(SCRIPT)].slice(0, 10).flatMap(([, source]) => {
    const target = posix.join(folder, source!)
    const isOwn = /\.[cm]?[jt]sx?$/.test(target) && files.some((file) => file.path === target)
    return isOwn ? [{ kind: "app" as const, name: path, path: target, line: null }] : []
  })
}

const ROUTE_TABLE =
  /(?:^|\/)(?:config\/routes\.rb|routes\/(?:web|api|console)\.php|urls\.py|\w+_web\/router\.ex|router\/index\.[jt]s|src\/(?:router|routes)\.[jt]sx?)$/
