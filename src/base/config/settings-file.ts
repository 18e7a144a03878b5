import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml"
import { AmanError } from "../errors.ts"
import { nearest } from "../nearest.ts"
import { checkSetting } from "./schema.ts"
import { isSettingKey, SETTING_KEYS, SETTINGS, type SettingKey } from "./settings.ts"

/** A settings file. `by` says to whom it belongs, which decides what it may set. */
export type SettingsFile = { readonly path: string; readonly by: "user" | "project" }
export type FileEntry = { readonly key: SettingKey; readonly value: unknown; readonly where: string }

// Maximum size in bytes. A settings file is about a page long, but a file that comes with a project may be anything.
const MAX_BYTES = 64 * 1024

/** Settings of earlier versions, whose values are fixed now. They must not be the reason why no command works. */
const RETIRED =
  /^(?:index\.(?:chunk|merge)_tokens|search\.(?:rrf_k|weights)|embeddings\.(?:batch_size|static|timeout)|(?:rerank|searcher)\.(?:results|timeout)|rerank\.provider|chunker\.timeout|knowledge\.(?:limit|weights)|performance\.(?:cache_size|quantization)|symbols\.server_memory|submodules\.enabled|repos\.(?:enabled|base_dir|sync_timeout|max_(?:file_size|results|memory))|server\.(?:max_body|sse)|hooks\.(?:propose|session_start|prompt_submit|pre_tool_use|post_tool_use|stop|subagent_start|prompt_tokens|tool_tokens|threshold|stop_interval))(?:\.|$)/

/** What does the same as a setting of earlier versions. */
const INSTEAD: Readonly<Record<string, string>> = {
  "submodules.enabled": "the submodules' folders in paths.exclude",
  "repos.enabled": "an empty repos.urls",
  "repos.base_dir": "AMAN_DATA_DIR, whose folder repos has the clones",
  "repos.max_memory": "repos.max_size, of which git gets a quarter as memory",
  "server.sse": "aman serve --sse",
  "chunker.timeout": "programs.timeout",
  "rerank.timeout": "programs.timeout",
  "searcher.timeout": "programs.timeout",
  "symbols.server_memory": "programs.memory_limit",
}

const KNOWN_KEYS: readonly string[] = [...SETTING_KEYS, ...Object.keys(INSTEAD)]

type Inspected = {
  readonly entries: readonly FileEntry[]
  readonly problems: readonly AmanError[]
  /** Settings that are not used: in a project's file those that only the user may set, and those of earlier versions. */
  readonly ignored: readonly AmanError[]
}

/**
 * The last result for each file, by path and owner. A server inspects the user's file for each question about several
 * repositories, and parsing a file of 26 lines takes 1 ms.
 */
const lastInspected = new Map<string, { readonly text: string; readonly inspected: Inspected }>()

/** All valid entries and all problems in a settings file, in order. A file that does not exist has none. */
export function inspectSettingsFile(file: SettingsFile): Inspected {
  const text = readText(file)
  const key = `${file.by} ${file.path}`
  const last = lastInspected.get(key)
  if (last?.text === text) return last.inspected
  const inspected = inspectText(text, file)
  lastInspected.set(key, { text, inspected })
  return inspected
}

function inspectText(text: string, file: SettingsFile): Inspected {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false })
  const lineOf = (offset: number) => `${file.path}:${lines.linePos(offset).line}`
  const problems = document.errors.map(
    ({ message, pos }) => new AmanError("USAGE", `${lineOf(pos[0])}: not YAML: ${message}`),
  )
  const entries: FileEntry[] = []
  const ignored: AmanError[] = []
  if (problems.length > 0 || document.contents === null) return { entries, problems, ignored }
  for (const leaf of leavesOf(document.contents, "")) {
    const where = lineOf(leaf.offset)
    try {
      const key = allowedKey(leaf.key, where, file)
      const value = (leaf.node as Node | null)?.toJS(document, { maxAliasCount: 20 }) ?? null
      entries.push({ key, value: checkSetting(key, { value, where }), where })
    } catch (error) {
      const problem =
        error instanceof AmanError ? error : new AmanError("USAGE", `${where}: ${String(error)}`)
      // Its author may be anyone, so such a key must not be the reason why no command works.
      const isForeign = file.by === "project" && isSettingKey(leaf.key) && SETTINGS[leaf.key].by !== "project"
      const list = isForeign || RETIRED.test(leaf.key) ? ignored : problems
      list.push(problem)
    }
  }
  return { entries, problems, ignored }
}

type Leaf = { readonly key: string; readonly node: unknown; readonly offset: number }

/** The values by dotted key. Only sections that contain settings are entered. */
function leavesOf(node: unknown, prefix: string, offset = 0): Leaf[] {
  if (!isMap(node)) return [{ key: prefix, node, offset }]
  return node.items.flatMap((pair) => {
    const { key } = pair
    const at = isScalar(key) && key.range ? key.range[0] : offset
    const name = `${prefix === "" ? "" : `${prefix}.`}${String(isScalar(key) ? key.value : key)}`
    const isSection = KNOWN_KEYS.some((known) => known.startsWith(`${name}.`))
    if (isSection && (isMap(pair.value) || isNothing(pair.value))) {
      return isMap(pair.value) ? leavesOf(pair.value, name, at) : []
    }
    return [{ key: name, node: pair.value, offset: at }]
  })
}

/** True for an empty section, for example one whose settings are all commented out. */
function isNothing(node: unknown): boolean {
  return node === null || (isScalar(node) && node.value === null && !isSeq(node))
}

export function isRetired(key: string): boolean {
  return RETIRED.test(key)
}

export function allowedKey(key: string, where: string, { by }: SettingsFile): SettingKey {
  if (!isSettingKey(key)) throw unknownKey(key, where)
  const owner = SETTINGS[key].by
  if (owner === "environment") {
    throw new AmanError("USAGE", `${where}: ${key} cannot be set in a settings file`, {
      hint: `set ${SETTINGS[key].env}, or index.location for all projects`,
    })
  }
  if (by === "project" && owner !== "project") {
    throw new AmanError("USAGE", `${where}: a project's file may not set ${key}`, {
      hint: `it affects more than the project; to set it in your own file: aman config set ${key} VALUE`,
    })
  }
  return key
}

export function unknownKey(key: string, where: string): AmanError {
  if (key === "") return new AmanError("USAGE", `${where}: expected "section:" and "key: value"`)
  if (RETIRED.test(key)) {
    const instead = INSTEAD[key]
    const next = instead === undefined ? "remove it" : `remove it; instead: ${instead}`
    return new AmanError("USAGE", `${where}: ${key} is no setting any more; ${next}`)
  }
  const meant = nearest(key, SETTING_KEYS)
  return new AmanError("USAGE", `${where}: unknown setting ${JSON.stringify(key)}`, {
    hint: meant === undefined ? "see: aman config show" : `did you mean ${meant}?`,
  })
}

/** The problem of a variable that sets nothing; it may be of an earlier version: AMAN_WEIGHT_MIXED set search.weights.mixed. */
export function unknownVariable(name: string): AmanError {
  const words = name.slice("AMAN_".length).toLowerCase().replace("weight_", "weights.")
  const inSections = ["index", "search", "performance"].map((section) => `${section}.${words}`)
  const retired = [words.replace("_", "."), ...inSections, `${words}.enabled`].find(isRetired)
  if (retired !== undefined) return unknownKey(retired, name)
  const variables = SETTING_KEYS.map((key): string => SETTINGS[key].env)
  const meant = nearest(name, variables)
  return new AmanError("USAGE", `${name} is not a variable of any setting`, {
    hint: meant === undefined ? "see: aman config show --verbose" : `did you mean ${meant}?`,
  })
}

/**
 * Reads a settings file. A link is followed only for the user's own file, because a link in a project may lead
 * anywhere. Does not block on a pipe.
 */
function readText({ path, by }: SettingsFile): string {
  let file: number
  try {
    const noFollow = by === "project" ? (constants.O_NOFOLLOW ?? 0) : 0
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | noFollow)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === "ENOENT" || code === "ENOTDIR") return ""
    const why =
      code === "ELOOP" ? "is a link, which is not allowed for a project's settings" : "cannot be read"
    throw new AmanError("IO", `${path} ${why}`, {
      hint: "replace it by a readable regular file, or remove it",
      cause,
    })
  }
  try {
    const { size } = plainFile(fstatSync(file), path)
    if (size > MAX_BYTES)
      throw new AmanError("USAGE", `${path} is too large for a settings file: ${size} bytes`)
    return readFileSync(file, "utf8")
  } finally {
    closeSync(file)
  }
}

function plainFile<T extends { isFile(): boolean }>(found: T, path: string): T {
  if (!found.isFile()) throw new AmanError("USAGE", `${path} is not a file`)
  return found
}
