import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fromMarkdown } from "mdast-util-from-markdown"
import questions from "./markdown-questions.json" with { type: "json" }

/** Where an answer stands. Several sections may bear the heading; any of them answers. */
export type MarkdownTarget = { readonly path: string; readonly sections: readonly Lines[] }

/** 1-based, both ends included. */
export type Lines = { readonly start_line: number; readonly end_line: number }

export type MarkdownQuestion = {
  readonly query: string
  /** `named` uses the words of the section, `paraphrased` mostly others. */
  readonly kind: string
  /** The first one is the answer, the others answer, too. */
  readonly targets: readonly MarkdownTarget[]
}

export type MarkdownProject = {
  readonly name: string
  readonly root: string
  readonly questions: readonly MarkdownQuestion[]
}

type Label = { readonly path: string; readonly section: string }

/** The labelled questions, with the sections found in the checkouts that lie in a folder, by name. */
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

/** What to check out where, for each project that is not there. */
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

/** A section reaches to the next heading that is not below its own. */
export function sectionsOf(markdown: string, heading: string): Lines[] {
  const headings = fromMarkdown(markdown).children.filter((node) => node.type === "heading")
  const lastLine = markdown.trimEnd().split("\n").length
  return headings.flatMap((node, i) => {
    const { start } = node.position!
    const first = markdown.slice(start.offset, markdown.indexOf("\n", start.offset))
    if (first.replace(/^#+/u, "").trim() !== heading) return []
    const next = headings.slice(i + 1).find(({ depth }) => depth <= node.depth)
    return [{ start_line: start.line, end_line: (next?.position?.start.line ?? lastLine + 1) - 1 }]
  })
}
