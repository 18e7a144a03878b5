import { AmanError } from "../../../base/errors.ts"
import { linkProject, listProjects, similarProjects } from "../../../memory/projects/link.ts"
import type { KnownProject } from "../../../memory/projects/match.ts"
import { entryCount } from "../entries/entry-text.ts"
import type { Memory } from "../memory.ts"
import type { KnowledgeAnswer } from "./answer.ts"

/** Actions on the whole store: list projects, link a folder, rebuild the tables from the log. */
export const handlers = { projects, link, rebuild }

function projects(memory: Memory, _args: object): KnowledgeAnswer {
  const thisProject = memory.project()
  const projects = listProjects(memory.knowledge)
  const shown = projects.map((project) => ({
    id: project.id,
    name: project.name,
    is_here: project.id === thisProject,
    entries: memory.knowledge.list({ projects: [project.id] }, { limit: 0 }).total,
    paths: project.paths.map(({ path, isThere }) => ({ path, is_there: isThere })),
    remotes: project.remotes,
    root_commits: project.rootCommits,
    looks_like: similarProjects(projects, project.id).map(({ id }) => id),
  }))
  const { notices } = memory
  return {
    data: { projects: shown, notices },
    text: [...shown.map(projectLine), ...notices].join("\n"),
    found: shown.length > 0,
  }
}

type ProjectOutput = {
  readonly id: string
  readonly name: string
  readonly is_here: boolean
  readonly entries: number
  readonly paths: readonly { readonly path: string; readonly is_there: boolean }[]
  readonly remotes: KnownProject["remotes"]
  readonly looks_like: readonly string[]
}

function projectLine({ id, name, is_here, entries, paths, remotes, looks_like }: ProjectOutput): string {
  const places = paths.map(({ path, is_there }) => (is_there ? path : `${path} (gone)`))
  const line = `${is_here ? "* " : "  "}${id}  ${name}: ${entryCount(entries)}; ${[...places, ...remotes].join(", ")}`
  if (!is_here || looks_like.length === 0) return line
  const [first] = looks_like
  return `${line}\n    looks like ${looks_like.join(", ")}; if this folder is your own copy, run in it: aman memory link ${first}`
}

/** Links this folder to a project. */
async function link(memory: Memory, { to }: { readonly to: string }): Promise<KnowledgeAnswer> {
  const { knowledge, root } = memory
  if (root === null) {
    throw new AmanError("NO_ROOT", "this folder is not in a project, so there is nothing to link", {
      hint: "set the project with --root DIR",
    })
  }
  const from = memory.project()
  const linked = await linkProject(knowledge, { root, from, to })
  return {
    data: { root, project: linked.project, entries: linked.entries, entities: linked.entities },
    text: `${root} now belongs to ${linked.project.name}; moved ${entryCount(linked.entries)} and ${linked.entities} entities`,
    found: true,
  }
}

function rebuild({ knowledge }: Memory, _args: object): KnowledgeAnswer {
  const rebuilt = knowledge.rebuild()
  const { events, entries, entities, relations, differing } = rebuilt
  const found = `${entries} entries, ${entities} entities and ${relations} relations from ${events} events`
  const difference =
    differing.length === 0 ? "unchanged" : `${differing.length} tables differed: ${differing.join(", ")}`
  return { data: rebuilt, text: `${found}; ${difference}`, found: true }
}
