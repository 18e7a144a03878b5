/*
 * Reads what a project says about itself in manifests and README: its name, a description, commands and libraries.
 * First the class `Manifests`, then the search for a description in a README: markup is removed, sections about
 * installation or sponsors are dropped, and the first paragraph that defines the name is taken.
 */

import { basename } from "node:path"
import {
  compareTexts,
  FILE_FLAG,
  isObject,
  type JsonObject,
  NOT_MAIN_FLAGS,
  parseJson,
} from "../../base/index.ts"
import type { Project } from "../../index/index.ts"
import type { FileAmount } from "../../store/index.ts"
import { readSource } from "../../text/index.ts"

export type Manifest = { readonly path: string; readonly fields: JsonObject }

const MAX_DEPTH = 2
const MAX_ABOUT_CHARS = 240

/** A project's manifests and README: package.json, Cargo.toml, pyproject.toml and others. Each manifest is read once. */
export class Manifests {
  readonly #project: Project
  readonly #files: readonly FileAmount[]
  #paths: ReadonlySet<string> | null = null
  readonly #read = new Map<string, readonly Manifest[]>()

  constructor(project: Project, files: readonly FileAmount[]) {
    this.#project = project
    this.#files = files
  }

  /** Manifests of that name near the top, the nearest first; files that cannot be parsed are left out. */
  named(name: string): readonly Manifest[] {
    let manifests = this.#read.get(name)
    if (!manifests) {
      manifests = this.paths(name).flatMap((path) => {
        const fields = parse(path, this.text(path) ?? "")
        return fields === null ? [] : [{ path, fields }]
      })
      this.#read.set(name, manifests)
    }
    return manifests
  }

  /** Indexed files of that name near the top, without tests, examples and vendored code. */
  paths(name: string): string[] {
    const depth = (path: string) => path.split("/").length - 1
    return this.#files
      .filter(
        ({ path, flags }) =>
          (path === name || path.endsWith(`/${name}`)) &&
          depth(path) <= MAX_DEPTH &&
          (flags & SIDE_FLAGS) === 0,
      )
      .map(({ path }) => path)
      .sort((one, other) => depth(one) - depth(other) || compareTexts(one, other))
      .slice(0, 24)
  }

  text(path: string): string | null {
    const source = readSource(this.#project.root, path, this.#project.config.index.maxFileBytes)
    return "reason" in source ? null : source.text
  }

  has(path: string): boolean {
    this.#paths ??= new Set(this.#files.map((file) => file.path))
    return this.#paths.has(path)
  }

  /** Name of the project in its top manifest; null if there is none. */
  get name(): string | null {
    return firstText(this.#tops().map(({ name }) => (SAYS_NOTHING.test(`${name}`) ? null : name)))
  }

  /** The project's description of itself; in a workspace, that of the member with the workspace's name. */
  get about(): string | null {
    return firstText(this.#tops().map(({ description }) => description)) ?? this.#readme() ?? this.#member()
  }

  /** Top manifests that name and describe the project, ordered by the number of files in their language. */
  #tops(): JsonObject[] {
    const top = (name: string) => this.named(name).find(({ path }) => path === name)?.fields
    const filesIn = (languages: readonly string[]) =>
      this.#files.filter(({ language, flags }) => (flags & SIDE_FLAGS) === 0 && languages.includes(language))
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

  /** Fields of a gem's specification that are plain strings; the file itself is a Ruby program, and not executed. */
  #gem(): JsonObject | null {
    const path = this.#files.find((file) => /^[^/]+\.gemspec$/.test(file.path))?.path
    const text = path === undefined ? null : this.text(path)
    if (text === null) return null
    const fieldOf = (field: string) => {
      const value =
        new RegExp(`\\.${field}\\s*=\\s*(["'])((?:(?!\\1)[^\\n]){1,1000})\\1`).exec(text)?.[2] ?? null
      return value?.includes("#{") ? null : value
    }
    return { name: fieldOf("name"), description: fieldOf("summary") ?? fieldOf("description") }
  }

  #member(): string | null {
    const { name } = this
    if (name === null) return null
    const unscoped = name.slice(name.lastIndexOf("/") + 1)
    const member = this.#files.find(
      ({ path, flags }) =>
        path.endsWith(`/${unscoped}/package.json`) &&
        path.split("/").length <= MAX_DEPTH + 1 &&
        (flags & SIDE_FLAGS) === 0,
    )
    const fields = member && parse(member.path, this.text(member.path) ?? "")
    return firstText([fields?.["description"]])
  }

  #readme(): string | null {
    const path = this.#files.find((file) =>
      /^readme(?:\.(?:md|markdown|rst|txt|adoc))?$/i.test(file.path),
    )?.path
    const text = path === undefined ? null : this.text(path)
    const about = text === null ? null : readmeAbout(text, this.name ?? basename(this.#project.root))
    return about === null ? null : shortenAbout(about)
  }
}

/** Names that describe nothing, as the root of a workspace often has because it must have a name. */
const SAYS_NOTHING = /^(?:@[^/]+\/)?(?:root|mono-?repo|workspaces?|repo)$/i
/** Flags of files that are not the project proper. A manifest may be generated, or lie in a folder of scripts. */
const SIDE_FLAGS = NOT_MAIN_FLAGS & ~(FILE_FLAG.scripts | FILE_FLAG.generated)

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

function firstText(values: readonly unknown[]): string | null {
  const text = values.find((value) => typeof value === "string" && value.trim() !== "")
  return typeof text === "string" ? shortenAbout(text) : null
}

function shortenAbout(text: string): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length <= MAX_ABOUT_CHARS ? line : `${line.slice(0, MAX_ABOUT_CHARS)}…`
}

/** Maximum paragraphs searched; later ones are about installation, news and sponsors. */
const MAX_PARAGRAPHS = 12

/** Description of a project in its README: the first paragraph that defines the name, else the first paragraph of prose. */
export function readmeAbout(readme: string, name: string): string | null {
  const paragraphs = stripMarkup(readme.slice(0, 20_000)).split(/\n\s*\n/)
  const prose = paragraphs.flatMap((each) => plainParagraph(each) ?? []).slice(0, MAX_PARAGRAPHS)
  const bare = RegExp.escape(name.replace(/\.\w+$/, ""))
  // `**Rich** is a Python library`, `The Rich package is an …`.
  const defines = new RegExp(`^\\W*(?:\\w+ ){0,2}${bare}\\b[^.\\n]{0,40}?\\b(?:is|are) (?:a|an|the)\\b`, "i")
  return prose.find((each) => defines.test(each)) ?? prose[0] ?? null
}

/**
 * Every repeated part of these patterns has a maximum length or stops where the part could start again, because a
 * hostile README must not keep a server busy.
 */
const TARGET = String.raw`(?:\([^)]{0,1000}\)|\[[^\][]{0,200}\])`
const LABEL = String.raw`\[([^\][]{0,200})\]`
const PICTURE = new RegExp(String.raw`\[?!\[[^\][]{0,200}\]${TARGET}\]?${TARGET}?`, "g")
// `string[]` is no link.
const LINK = new RegExp(String.raw`(?!\[\](?![[(]))${LABEL}${TARGET}?`, "g")

/** The text without headings, code, comments, pictures and tags; each HTML block becomes a paragraph. */
function stripMarkup(text: string): string {
  const prose = text
    .replace(/`([^`<\n]{1,200}?)\s{0,20}<[^>\n]{0,1000}>`__?/g, "$1")
    .replace(/<!--[\s\S]*?(?:-->|$)/g, "")
    .replace(/^(`{3,20}|~{3,20})[\s\S]*?^\1.*$/gm, "")
  return withoutSideSections(prose)
    .replace(PICTURE, "")
    .replace(/<a\b[^<>]*>([\s\S]{0,1000}?)<\/a>/gi, (_, inner: string) => `[${plainLine(inner)}]()`)
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

/** The text of a link on one line, even if it contains HTML blocks. */
function plainLine(html: string): string {
  return html
    .replace(/<[^<>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim()
}

const UNDERLINED = /^[^\n]+\n[=\-~^]{3,}[ \t]*$/gm

/**
 * The text without sections, and their subsections, about sponsors, installation, support and the like. They are
 * recognised by their headings.
 */
function withoutSideSections(text: string): string {
  const marks: string[] = []
  let skippedDepth: number | null = null
  // Underlined headings become `#` headings; the order in which underline characters first appear gives their depth.
  const lines = text
    .replace(UNDERLINED, (heading) => {
      const mark = heading.trimEnd().at(-1)!
      if (!marks.includes(mark)) marks.push(mark)
      return `${"#".repeat(marks.indexOf(mark) + 1)} ${heading.split("\n")[0]!.trim()}`
    })
    .split("\n")
  const mainLines = lines.filter((line) => {
    const [, signs, title] = /^(#{1,6}) (.{0,200})/.exec(line) ?? []
    if (signs !== undefined && (skippedDepth === null || signs.length <= skippedDepth))
      skippedDepth = SIDE_SECTION.test(title!.replace(/[^\p{L} ]+/gu, "").trim()) ? signs.length : null
    return skippedDepth === null
  })
  return mainLines.join("\n")
}

const SIDE_SECTION = new RegExp(
  `^(?:our |the |become an? |for )?(?:${[
    String.raw`(?:\w+ )?(?:sponsors?(?:hip)?|backers?|supporters?|donations?|patrons)`,
    "funding|enterprise|licen[cs]e|credits|thanks|acknowledge?ments|contribut(?:ing|ors?|ions?)",
    "support|getting help|help|questions?|issues(?: and contributions?)?|security(?: policy)?|community",
    "getting started|quick ?start|install(?:ation|ing)?|usage|documentation|docs|links|(?:table of )?contents",
    "news|announcements?",
  ].join("|")})$`,
  "iu",
)

/** The paragraph as plain text; null for a list, a table, a row of links or a notice. */
function plainParagraph(paragraph: string): string | null {
  const text = paragraph.trim().slice(0, 2_000)
  if (!PROSE.test(text) || NO_PROSE.test(text) || linkShare(text) > 0.6) return null
  const plain = text
    .replace(LINK, "$1")
    .replace(/\*\*|__/g, "")
    .replace(/(?<!\w)([*_])([^*_\n]+)\1(?!\w)/g, "$2")
    .replace(/\s+/g, " ")
    .trim()
  return plain.split(" ").length < 4 ? null : plain
}

const PROSE = /^[\p{L}`*_"'[].{20}/su
/** Matches paragraphs that are no prose: lists, tables, fields, addresses, link references, translations and news. */
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
    String.raw`\b(?:hiring|star (?:us|this|the repo\w*)|give (?:us|it) a star|follow us|join (?:us|our)|newsletter|sign up|free trial|(?:book|request|schedule) a demo|\d+ ?% off|coupon|discount|buy me a|brought to you by|webinar|early access|(?:try|get started with|looking for) (?:\S+ ){0,4}(?:cloud|hosted|managed|enterprise|pro\b))`,
    String.raw`\b(?:sponsor|donat|fund(?:ed|ing)\b|licensed under|all rights reserved|copyright)`,
  ].join("|"),
  "iu",
)

/** Share of the letters that are in links, from 0 to 1. */
function linkShare(text: string): number {
  const linked = Array.from(text.matchAll(LINK), ([, label]) => label).join("")
  return lettersIn(linked) / Math.max(1, lettersIn(text.replace(LINK, "$1")))
}

function lettersIn(text: string): number {
  return text.match(/\p{L}/gu)?.length ?? 0
}
