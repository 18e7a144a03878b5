import { basename } from "node:path"
import { FILE_FLAG, NOT_MAIN_FLAGS } from "../../base/file-flag.ts"
import { isObject, type JsonObject, parseJson } from "../../memory/formats/json-value.ts"
import type { FileAmount } from "../../store/index/file-rows.ts"
import { readSource } from "../../text/files/read-source.ts"
import type { Project } from "../project/open-project.ts"

export type Manifest = { readonly path: string; readonly fields: JsonObject }

const DEEPEST = 2
const MOST = 24
const LONGEST_ABOUT = 240

/** What a project's own files say of it: package.json, Cargo.toml, pyproject.toml, the README. Each is read once. */
export class Manifests {
  readonly #project: Project
  readonly #files: readonly FileAmount[]
  #paths: ReadonlySet<string> | null = null
  readonly #read = new Map<string, readonly Manifest[]>()

  constructor(project: Project, files: readonly FileAmount[]) {
    this.#project = project
    this.#files = files
  }

  /** Those of that name near the top, the nearest first; what does not parse is as if it were not there. */
  named(name: string): readonly Manifest[] {
    let found = this.#read.get(name)
    if (!found) {
      found = this.paths(name).flatMap((path) => {
        const fields = parse(path, this.text(path) ?? "")
        return fields === null ? [] : [{ path, fields }]
      })
      this.#read.set(name, found)
    }
    return found
  }

  /** Indexed files of that name near the top and not beside the project. */
  paths(name: string): string[] {
    const depth = (path: string) => path.split("/").length - 1
    return this.#files
      .filter(
        ({ path, flags }) =>
          (path === name || path.endsWith(`/${name}`)) && depth(path) <= DEEPEST && (flags & OUTSIDE) === 0,
      )
      .map(({ path }) => path)
      .sort((one, other) => depth(one) - depth(other) || (one < other ? -1 : 1))
      .slice(0, MOST)
  }

  text(path: string): string | null {
    const source = readSource(this.#project.root, path, this.#project.config.index.maxFileBytes)
    return "reason" in source ? null : source.text
  }

  has(path: string): boolean {
    this.#paths ??= new Set(this.#files.map((file) => file.path))
    return this.#paths.has(path)
  }

  /** As the manifest at the top calls the project. */
  get name(): string | null {
    return textOf(this.#tops().map(({ name }) => (SAYS_NOTHING.test(`${name}`) ? null : name)))
  }

  /** What it is, in its own words; of a workspace those of the member that has its name. */
  get about(): string | null {
    return textOf(this.#tops().map(({ description }) => description)) ?? this.#readme() ?? this.#member()
  }

  /** The tables at the top that name and describe it, that of the language most files are in first. */
  #tops(): JsonObject[] {
    const top = (name: string) => this.named(name).find(({ path }) => path === name)?.fields
    const filesIn = (languages: readonly string[]) =>
      this.#files.filter(({ language, flags }) => (flags & OUTSIDE) === 0 && languages.includes(language))
        .length
    return [
      { table: top("package.json"), files: filesIn(["javascript", "typescript", "tsx", "vue", "svelte"]) },
      { table: top("Cargo.toml")?.["package"], files: filesIn(["rust"]) },
      { table: top("pyproject.toml")?.["project"], files: filesIn(["python"]) },
      { table: top("composer.json"), files: filesIn(["php"]) },
      { table: this.#gem(), files: filesIn(["ruby"]) },
    ]
      .sort((one, other) => other.files - one.files)
      .flatMap(({ table }) => (isObject(table) ? [table] : []))
  }

  /** What a gem's specification, which is a program, says in plain text. */
  #gem(): JsonObject | null {
    const path = this.#files.find((file) => /^[^/]+\.gemspec$/.test(file.path))?.path
    const text = path === undefined ? null : this.text(path)
    if (text === null) return null
    const said = (field: string) => {
      const value =
        new RegExp(`\\.${field}\\s*=\\s*(["'])((?:(?!\\1)[^\\n]){1,1000})\\1`).exec(text)?.[2] ?? null
      return value?.includes("#{") ? null : value
    }
    return { name: said("name"), description: said("summary") ?? said("description") }
  }

  #member(): string | null {
    const { name } = this
    if (name === null) return null
    const unscoped = name.slice(name.lastIndexOf("/") + 1)
    const member = this.#files.find(
      ({ path, flags }) =>
        path.endsWith(`/${unscoped}/package.json`) &&
        path.split("/").length <= DEEPEST + 1 &&
        (flags & OUTSIDE) === 0,
    )
    const fields = member && parse(member.path, this.text(member.path) ?? "")
    return textOf([fields?.["description"]])
  }

  #readme(): string | null {
    const path = this.#files.find((file) =>
      /^readme(?:\.(?:md|markdown|rst|txt|adoc))?$/i.test(file.path),
    )?.path
    const text = path === undefined ? null : this.text(path)
    const about = text === null ? null : readmeAbout(text, this.name ?? basename(this.#project.root))
    return about === null ? null : short(about)
  }
}

/** Names that a workspace's top has because it has to have one. */
const SAYS_NOTHING = /^(?:@[^/]+\/)?(?:root|mono-?repo|workspaces?|repo)$/i
/** A manifest may well be written by a tool. */
const OUTSIDE = NOT_MAIN_FLAGS & ~(FILE_FLAG.scripts | FILE_FLAG.generated)

function parse(path: string, text: string): JsonObject | null {
  const fields = path.endsWith(".toml") ? parseToml(text) : parseJson(text)
  return isObject(fields) ? fields : null
}

function parseToml(text: string): unknown {
  try {
    return Bun.TOML.parse(text)
  } catch {
    return undefined
  }
}

function textOf(values: readonly unknown[]): string | null {
  const text = values.find((value) => typeof value === "string" && value.trim() !== "")
  return typeof text === "string" ? short(text) : null
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length <= LONGEST_ABOUT ? line : `${line.slice(0, LONGEST_ABOUT)}…`
}

const LONGEST_README = 20_000
/** What comes later says how to install it, what is new, who pays. */
const MAX_PARAGRAPHS = 12

/** What a README says a project is: the first paragraph that defines its name, else the first that is prose. */
export function readmeAbout(readme: string, name: string): string | null {
  const paragraphs = unmarked(readme.slice(0, LONGEST_README)).split(/\n\s*\n/)
  const prose = paragraphs.flatMap((each) => proseOf(each) ?? []).slice(0, MAX_PARAGRAPHS)
  const bare = RegExp.escape(name.replace(/\.\w+$/, ""))
  // `**Rich** is a Python library`, `The Rich package is an …`.
  const defines = new RegExp(`^\\W*(?:\\w+ ){0,2}${bare}\\b[^.\\n]{0,40}?\\b(?:is|are) (?:a|an|the)\\b`, "i")
  return prose.find((each) => defines.test(each)) ?? prose[0] ?? null
}

/**
 * Every part that may repeat ends after so many characters, or at what begins it anew: whoever wrote the README must
 * not decide how long a server is busy.
 */
const TARGET = String.raw`(?:\([^)]{0,1000}\)|\[[^\][]{0,200}\])`
const LABEL = String.raw`\[([^\][]{0,200})\]`
const PICTURE = new RegExp(String.raw`\[?!\[[^\][]{0,200}\]${TARGET}\]?${TARGET}?`, "g")
// `string[]` is no link.
const LINK = new RegExp(String.raw`(?!\[\](?![[(]))${LABEL}${TARGET}?`, "g")

/** Without headings, code, comments, pictures and tags; what stood in HTML's blocks is a paragraph. */
function unmarked(text: string): string {
  const prose = text
    .replace(/`([^`<\n]{1,200}?)\s{0,20}<[^>\n]{0,1000}>`__?/g, "$1")
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .replace(/^(`{3,20}|~{3,20})[\s\S]*?^\1.*$/gm, "")
  return withoutMatters(prose)
    .replace(PICTURE, "")
    .replace(/<a\b[^<>]*>([\s\S]{0,1000}?)<\/a>/gi, (_, inner: string) => `[${lineOf(inner)}]()`)
    .replace(
      /<\/?(?:p|div|h\d|td|tr|table|li|ul|ol|br|center|details|summary|picture|blockquote)\b[^<>]*>/gi,
      "\n\n",
    )
    .replace(/<\/?[a-z][^<>]*>/gi, "")
    .replace(/^#+ .*$/gm, "\n")
    .replace(UNDERLINED, "\n")
    .replace(/&nbsp;/g, " ")
    .replace(/&amp;/g, "&")
}

/** A link is one, whatever blocks it holds. */
function lineOf(html: string): string {
  return html
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
}

const UNDERLINED = /^[^\n]+\n[=\-~^]{3,}[ \t]*$/gm

/** Without sections that by their headings say who pays, how to install it, where to ask, and what is below those. */
function withoutMatters(text: string): string {
  const marks: string[] = []
  let left: number | null = null
  // An underlined heading as a marked one: which line stands for which depth, the order tells.
  const lines = text
    .replace(UNDERLINED, (heading) => {
      const mark = heading.trimEnd().at(-1)!
      if (!marks.includes(mark)) marks.push(mark)
      return `${"#".repeat(marks.indexOf(mark) + 1)} ${heading.split("\n")[0]!.trim()}`
    })
    .split("\n")
  const kept = lines.filter((line) => {
    const [, signs, title] = /^(#{1,6}) (.{0,200})/.exec(line) ?? []
    if (signs !== undefined && (left === null || signs.length <= left))
      left = MATTERS.test(title!.replace(/[^\p{L} ]+/gu, "").trim()) ? signs.length : null
    return left === null
  })
  return kept.join("\n")
}

const MATTERS = new RegExp(
  `^(?:our |the |become an? |for )?(?:${[
    String.raw`(?:\w+ )?(?:sponsors?(?:hip)?|backers?|supporters?|donations?|patrons)`,
    "funding|enterprise|licen[cs]e|credits|thanks|acknowledge?ments|contribut(?:ing|ors?|ions?)",
    "support|getting help|help|questions?|issues(?: and contributions?)?|security(?: policy)?|community",
    "getting started|quick ?start|install(?:ation|ing)?|usage|documentation|docs|links|(?:table of )?contents",
    "news|announcements?",
  ].join("|")})$`,
  "iu",
)

/** A paragraph as it reads; null for a list, a table, a row of links, a notice. */
function proseOf(paragraph: string): string | null {
  const text = paragraph.trim().slice(0, LONGEST_PARAGRAPH)
  if (!PROSE.test(text) || NO_PROSE.test(text) || linkShare(text) > MAX_LINKED) return null
  const plain = text
    .replace(LINK, "$1")
    .replace(/\*\*|__/g, "")
    .replace(/(?<!\w)([*_])([^*_\n]+)\1(?!\w)/g, "$2")
    .replace(/\s+/g, " ")
    .trim()
  return plain.split(" ").length < MIN_WORDS ? null : plain
}

const LONGEST_PARAGRAPH = 2_000
const MIN_WORDS = 4
const MAX_LINKED = 0.6
const PROSE = /^[\p{L}`*_"'[].{20}/su
/** Lists, tables, fields and addresses; references of links; other languages to read it in; what is going on. */
const NO_PROSE = new RegExp(
  [
    String.raw`^(?:[*+-]|\d+\.)\s`,
    String.raw`^\[[^\]]*\]:`,
    "^https?:",
    String.raw`^[^\n]*\|[^\n]*\|`,
    String.raw`^(?:languages?|translations?|read (?:this )?in)\b.{0,20}\[`,
    String.raw`\b(?:version|translation)s? of this (?:document|readme)\b`,
    String.raw`^(?:note|notice|warning|important|caution|disclaimer|announcement|news)\b`,
    String.raw`^(?:please|check out|see|visit|read) (?:\S+ ){0,3}(?:\[|(?:documentation|docs|website|wiki)\b)`,
    String.raw`\b(?:is|been|be|are) (?:deprecated|archived|discontinued|no longer)\b`,
    String.raw`\b(?:sponsor|donat|fund(?:ed|ing)\b|licensed under|all rights reserved|copyright)`,
  ].join("|"),
  "iu",
)

/** How much of the letters stands in links. */
function linkShare(text: string): number {
  const linked = Array.from(text.matchAll(LINK), ([, label]) => label).join("")
  return lettersIn(linked) / Math.max(1, lettersIn(text.replace(LINK, "$1")))
}

function lettersIn(text: string): number {
  return text.match(/\p{L}/gu)?.length ?? 0
}
