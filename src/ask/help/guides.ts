import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { create, insertMultiple, load, type RawData, save, search } from "@orama/orama"
import { nearest, SETTINGS } from "../../base/index.ts"

// Replaced by a string literal when scripts/compile.ts builds the binary.
declare const AMAN_GUIDES: string | undefined

/** A part of aman's own documentation: a section of a guide, a command, a flag or a setting. */
export type GuideSection = {
  /** Where it stands: `docs/hooks.md`, `aman search --help`, `aman config`. */
  readonly place: string
  readonly title: string
  /** Markdown of a section; plain text of a command, a flag or a setting. */
  readonly text: string
}

/** What the guides say about a command. */
export type GuidedCommand = {
  readonly name: string
  readonly summary: string
  readonly details: string
  readonly verbs: readonly { readonly name: string; readonly words: string; readonly help: string }[]
  readonly flags: readonly { readonly name: string; readonly value?: string; readonly help: string }[]
  readonly examples: readonly { readonly line: string; readonly note: string }[]
}

const SCHEMA = { title: "string", place: "string", text: "string" } as const
const COMPONENTS = { tokenizer: { stemming: true, language: "english" } } as const
/** A word of the title counts as much as this many in the text. */
const BOOST = { title: 4, place: 2 }
/** Pages that answer no question of a user: contents, and those about the development of aman. */
const FOR_DEVELOPERS = new Set([
  "README.md",
  "architecture.md",
  "benchmarks.md",
  "coverage.md",
  "release.md",
  "configuration.md",
])
/** Words without a subject, which would match every section. */
const STOP_WORDS = new Set(
  "a an and are aman be by can do does for from how i if in is it me my not of on or should that the this to use what when where which why will with you".split(
    " ",
  ),
)

/** The index as it is stored, and all its words as typed, for the correction of misspelt ones. */
type StoredGuides = { readonly index: RawData; readonly words: readonly string[] }

/**
 * Sections about these words, by Orama's BM25: those with all of them first. A word that no section has is replaced by
 * the most similar one. The definitions are needed only when aman runs from its sources.
 */
export async function searchGuides(
  typed: string,
  limit: number,
  commands: () => Promise<readonly GuidedCommand[]>,
): Promise<GuideSection[]> {
  const stored = typeof AMAN_GUIDES === "string" ? AMAN_GUIDES : await guideIndex(await commands())
  const { index: data, words } = JSON.parse(unpacked(stored)) as StoredGuides
  const index = emptyIndex()
  load(index, data)
  const known = new Set(words)
  const subject = wordsOf(typed).filter((word) => !STOP_WORDS.has(word))
  const term = subject.map((word) => (known.has(word) ? word : (nearest(word, words) ?? word))).join(" ")
  const found = new Map<string, GuideSection>()
  for (const threshold of [0, 1]) {
    const { hits } = await search(index, { term: term || typed, boost: BOOST, limit, threshold })
    for (const { id, document } of hits) {
      const { place, title, text } = document
      if (found.size < limit && !found.has(id)) found.set(id, { place, title, text })
    }
  }
  return [...found.values()]
}

/** The stored form of the index over all sections, compressed, in Base64; made when the binary is built. */
export async function guideIndex(commands: readonly GuidedCommand[]): Promise<string> {
  const sections = [...commandSections(commands), ...settingSections(), ...pageSections()]
  const index = emptyIndex()
  // Orama's own ids are random, and two builds of the same sources must be equal.
  await insertMultiple(
    index,
    sections.map((section, at) => ({ ...section, id: `${at}` })),
  )
  const words = [...new Set(sections.flatMap(({ title, text }) => wordsOf(`${title} ${text}`)))].sort()
  const stored: StoredGuides = { index: save(index), words }
  return Bun.zstdCompressSync(JSON.stringify(stored), { level: 19 }).toString("base64")
}

function unpacked(stored: string): string {
  return Bun.zstdDecompressSync(Buffer.from(stored, "base64")).toString()
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

function emptyIndex() {
  return create({ schema: SCHEMA, components: COMPONENTS })
}

function commandSections(commands: readonly GuidedCommand[]): GuideSection[] {
  const isCommon = (flag: object) => commands.every(({ flags }) => flags.some((each) => each === flag))
  return commands.flatMap(({ name, summary, details, verbs, flags, examples }) => {
    const place = `aman ${name} --help`
    const lines = examples.map(({ line, note }) => `  ${line}\n      ${note}`)
    return [
      { place, title: `aman ${name}: ${summary}`, text: [details, ...lines].join("\n") },
      ...verbs.map((verb) => ({
        place,
        title: `aman ${name} ${verb.name} ${verb.words}`.trimEnd(),
        text: verb.help,
      })),
      ...flags
        .filter((flag) => !isCommon(flag))
        .map((flag) => ({
          place,
          title: `aman ${name} --${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}`,
          text: flag.help,
        })),
    ]
  })
}

function settingSections(): GuideSection[] {
  return Object.entries(SETTINGS).map(([key, { env, help }]) => ({
    place: "docs/configuration.md",
    title: `setting ${key}`,
    text: `${help}\n\naman config set ${key} VALUE, or the variable ${env}`,
  }))
}

function pageSections(): GuideSection[] {
  const root = join(import.meta.dir, "..", "..", "..")
  const pages = readdirSync(join(root, "docs")).filter(
    (name) => name.endsWith(".md") && !FOR_DEVELOPERS.has(name),
  )
  return ["README.md", ...pages.sort().map((name) => `docs/${name}`)].flatMap((page) =>
    sectionsOf(page, readFileSync(join(root, page), "utf8")),
  )
}

/** A page cut at its headings; code blocks, in which # begins a comment, are not cut. */
function sectionsOf(place: string, markdown: string): GuideSection[] {
  const parts = markdown.split(/^(?=#{1,3} )/mu)
  const sections: GuideSection[] = []
  let page = place
  for (const part of parts) {
    const heading = /^(#{1,3}) +(.+)\n?/u.exec(part)
    const last = sections.at(-1)
    if (heading === null || (last !== undefined && isInCode(last.text))) {
      if (last !== undefined) sections[sections.length - 1] = { ...last, text: last.text + part }
      continue
    }
    const [whole, level, title] = heading as unknown as [string, string, string]
    if (level === "#") page = title
    sections.push({
      place,
      title: level === "#" ? title : `${page}: ${title}`,
      text: part.slice(whole.length).trim(),
    })
  }
  return sections.filter(({ text }) => text !== "")
}

function isInCode(text: string): boolean {
  return (text.match(/^```/gmu)?.length ?? 0) % 2 === 1
}
