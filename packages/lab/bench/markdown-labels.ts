import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import MarkdownIt from "markdown-it"
import questions from "./markdown-questions.json" with { type: "json" }

/**
 * File and sections of an answer. Several sections of a file may have the same heading; each of them counts as
 * the answer.
 */
export type MarkdownTarget = { readonly path: string; readonly sections: readonly Lines[] }

/** 1-based, both ends included. */
export type Lines = { readonly start_line: number; readonly end_line: number }

export type MarkdownQuestion = {
  readonly query: string
  /** `named`: the question uses the words of the section; `paraphrased`: mostly other words. */
  readonly kind: string
  /** The best answer first; the others are right, too. */
  readonly targets: readonly MarkdownTarget[]
}

export type MarkdownProject = {
  readonly name: string
  readonly root: string
  readonly questions: readonly MarkdownQuestion[]
}

type Label = { readonly path: string; readonly section: string }

/**
 * The labelled questions; their sections are looked up in the checkouts, which are folders of `corpus` with the
 * projects' names.
 */
export function readMarkdownQuestions(corpus: string): MarkdownProject[] {
  return questions.map(({ name, questions: own }) => {
    const root = join(corpus, name)
    return {
      name,
      root,
      questions: own.map(({ query, kind, relevant, secondary }) => ({
        query,
        kind,
        targets: [relevant, ...(secondary ?? [])].map((label) => targetOf(root, label)),
      })),
    }
  })
}

/** Name, address and revision of each project without a checkout. */
export function missingProjects(corpus: string): string[] {
  return questions
    .filter(({ name }) => !existsSync(join(corpus, name)))
    .map(({ name, url, revision }) => `${name} (${url} at ${revision})`)
}

function targetOf(root: string, { path, section }: Label): MarkdownTarget {
  const sections = sectionsOf(readFileSync(join(root, path), "utf8"), section)
  if (sections.length === 0)
    throw new Error(`${join(root, path)} has no section "${section}": another revision?`)
  return { path, sections }
}

/**
 * Line ranges of the sections with this heading. A section ends before the next heading of the same or a higher
 * level.
 */
export function sectionsOf(markdown: string, heading: string): Lines[] {
  const lines = markdown.trimEnd().split("\n")
  const headings = new MarkdownIt("commonmark")
    .parse(markdown, {})
    .filter(({ type, level }) => type === "heading_open" && level === 0)
    .map(({ map, tag }) => ({ row: map![0], depth: Number(tag[1]) }))
  return headings.flatMap(({ row, depth }, i) => {
    if (lines[row]!.replace(/^ {0,3}#*/u, "").trim() !== heading) return []
    const next = headings.slice(i + 1).find((other) => other.depth <= depth)
    return [{ start_line: row + 1, end_line: next?.row ?? lines.length }]
  })
}
