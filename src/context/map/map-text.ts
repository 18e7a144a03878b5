import { coverageText } from "../../base/index.ts"
import { oneLine } from "../../text/index.ts"
import type { MapAnswer } from "./map-project.ts"

export type MapBudget = {
  readonly tokens: number
  /** Number of tokens of a text; absent: an estimate from above, so that no tokenizer has to be loaded. */
  readonly count?: (text: string) => number
}

const MAX_LINE_CHARS = 140

/**
 * The map as a page within the token budget: what the project is, then as many entry points, folders and central
 * symbols as fit. They are added in turns, so that no section crowds out the others.
 */
export function mapText(answer: MapAnswer, { tokens, count = maxTokensOf }: MapBudget): string {
  const sections = mapSections(answer)
  const head = projectSummary(answer)
  const shown = linesThatFit(sections, tokens - count(`${head}\n`) - count(`\n${MORE}\n`), count)
  const isCut = sections.some(({ lines }, at) => shown[at]! < lines.length)
  const parts = sections.flatMap(({ title, lines, isSorted }, at) => {
    const shownLines = lines.slice(0, shown[at])
    return shownLines.length === 0
      ? []
      : ["", `## ${title}`, "", ...(isSorted ? shownLines.sort() : shownLines).map((line) => `- ${line}`)]
  })
  return `${[head, ...parts, ...(isCut ? ["", MORE] : [])].join("\n")}\n`
}

/**
 * Upper bound of the number of tokens: paths and signatures have 3 to 4 characters per token, in the maps of 18
 * projects at least 2.8.
 */
function maxTokensOf(text: string): number {
  return Math.ceil(text.length / 2.8)
}

/** Share of the tokens that entry points, the first section, may take before the sections take turns. */
const ENTRY_SHARE = 0.5

/** Number of lines of each section that fit: entry points first, then the sections take turns. */
function linesThatFit(
  sections: readonly Section[],
  tokens: number,
  count: (text: string) => number,
): readonly number[] {
  const shown = sections.map(() => 0)
  const open = new Set(sections.keys())
  let left = tokens
  /** Adds the next line of a section if `reserve` tokens then remain; false if they do not, or if no line is left. */
  const add = (at: number, reserve: number): boolean => {
    const { title, lines } = sections[at]!
    const line = lines[shown[at]!]
    if (line === undefined) return false
    const cost = count(`- ${line}\n`) + (shown[at] === 0 ? count(`\n## ${title}\n\n`) : 0)
    if (left - cost < reserve) return false
    left -= cost
    shown[at]!++
    return true
  }
  const reserve = tokens * (1 - ENTRY_SHARE)
  while (sections.length > 0 && add(0, reserve));
  while (open.size > 0) for (const at of [...open]) if (!add(at, 0)) open.delete(at)
  return shown
}

const MORE = "There is more: use a larger budget."

type Section = { readonly title: string; readonly lines: readonly string[]; readonly isSorted: boolean }

/**
 * Lines that describe the project: its name and description, then type, number of files, languages and source
 * folders.
 */
export function projectSummary({ name, about, project, files, languages, partial }: MapAnswer): string {
  const largest = Object.entries(languages)
    .slice(0, 6)
    .map(([language, count]) => `${language} ${count}`)
  const where =
    project.source_folders.length === 0
      ? ""
      : `; sources in ${project.source_folders.map((each) => oneLine(each, 60)).join(", ")}`
  const kind = project.type === "unknown" ? "" : `${project.type} project, `
  return [
    oneLine(about === null ? name : `${name}: ${about}`, 300),
    `${kind}${files === 1 ? "1 file" : `${files} files`}${largest.length === 0 ? "" : ` (${largest.join(", ")})`}${where}`,
    ...(partial === null
      ? []
      : [`The index is ${coverageText(partial)}: this map shows what is indexed so far.`]),
  ].join("\n")
}

function mapSections({ entry_points, folders, symbols }: MapAnswer): Section[] {
  return [
    {
      title: "Entry points",
      isSorted: false,
      lines: entry_points.map(({ kind, name, path, line }) =>
        oneLine(
          `${path}${line === null ? "" : `:${line}`} ${kind}${name === kind ? "" : ` ${name}`}`,
          MAX_LINE_CHARS,
        ),
      ),
    },
    {
      title: "Folders",
      isSorted: true,
      lines: byWeight(folders).map(({ path, files, languages, symbols: names }) => {
        const defines = names.length === 0 ? "" : `: ${names.join(", ")}`
        const label = path === "." ? "." : `${path}/`
        return oneLine(`${label} ${files} ${languages.join(", ")}${defines}`, MAX_LINE_CHARS)
      }),
    },
    {
      title: "Central symbols (1 = an average file)",
      isSorted: false,
      lines: symbols.map(({ path, start_line, signature, centrality }) =>
        oneLine(`${path}:${start_line} ${oneLine(signature, 90)} (${centrality})`, MAX_LINE_CHARS + 40),
      ),
    },
  ]
}

/** Folders with more central symbols first, then those with more files. */
function byWeight(folders: MapAnswer["folders"]): MapAnswer["folders"] {
  const weight = ({ symbols, files }: MapAnswer["folders"][number]) => symbols.length * 1000 + files
  return [...folders].sort((one, other) => weight(other) - weight(one))
}

/** Kinds of entry points that are code. The other kinds are scripts, build targets and containers. */
const STARTS: ReadonlySet<string> = new Set(["command", "library", "main"])

/** A line with the places where the program starts, and one with its central definitions. */
export function mapPlaces({ entry_points, symbols }: MapAnswer): string[] {
  const starts = entry_points
    .filter(({ kind }) => STARTS.has(kind))
    .slice(0, 3)
    .map(({ path, line }) => (line === null ? path : `${path}:${line}`))
  // The most central definition of each file; the name of a macro tells little without its use.
  const firsts = new Map(
    symbols
      .filter(({ kind, signature }) => kind !== "macro" && !/^\s*#\s*define\b/.test(signature))
      .reverse()
      .map((each) => [each.path, each]),
  )
  const central = [...firsts.values()]
    .sort((one, other) => other.centrality - one.centrality)
    .slice(0, 6)
    .map(({ name, path, start_line }) => `${name} ${path}:${start_line}`)
  return [
    ...(starts.length > 0 ? [`Starts in ${starts.join(", ")}`] : []),
    ...(central.length > 0 ? [`Most used: ${central.join(", ")}`] : []),
  ]
}
