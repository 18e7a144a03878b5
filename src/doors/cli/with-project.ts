import { existsSync } from "node:fs"
import { join } from "node:path"
import {
  type LocalSide,
  loadRepositories,
  loadSeveralSources,
  loadTeamSource,
  projectSource,
  type Source,
  sourceOf,
} from "../../ask/index.ts"
import { AmanError, userDataDir } from "../../base/index.ts"
import {
  ensureFresh,
  loadOpenProject,
  type Project,
  type ProjectOptions,
  teamName,
  withoutLines,
} from "../../index/index.ts"
import { loadMemory, loadMemoryHandle, loadTeamCopy, type Memory } from "../../memory/index.ts"
import type { Flag, FlagValues, Input } from "./command.ts"
import { asFilters, otherRepository } from "./flags.ts"
import { type ProgressReporter, reportProgress } from "./progress.ts"
import { printableLine } from "./text.ts"

/** Flags of commands that may write the index. */
export const INDEX_FLAGS: readonly Flag[] = [
  {
    name: "memory-limit",
    value: "SIZE",
    help: "Use at most about this much memory, e.g. 2GB (default: 40 % of the machine, at most 16 GiB)",
  },
]

/** Opens the project selected by the flags, shows indexing progress, and closes it. */
export async function withProject<T>(
  input: Input,
  use: (project: Project, progress: ProgressReporter) => Promise<T>,
): Promise<T> {
  const { openProject } = await loadOpenProject()
  const progress = reportProgress(input.output, {
    quiet: input.flags.has("quiet"),
    verbose: input.flags.has("verbose"),
  })
  using project = openProject({ ...projectOptions(input), onProgress: progress.update })
  try {
    return await use(project, progress)
  } catch (error) {
    progress.done()
    if (input.signal.aborted && !input.flags.has("quiet")) {
      input.output.remark("interrupted; what is indexed is kept, and the next run continues\n")
    }
    throw error
  } finally {
    progress.done()
  }
}

/** Calls `use` with the source that --repository or --team selects, else with the project. */
export async function withSource<T>(input: Input, use: (source: Source) => Promise<T>): Promise<T> {
  const repository = otherRepository(input)
  if (repository === undefined)
    return await withProject(input, async (project) => use(sourceIn(project, input)))
  const team = teamName(repository)
  if (team !== null) {
    const { teamSource } = await loadTeamSource()
    const source = sourceOf((verb, request, call) =>
      withProject(input, async (project) => sourceIn(project, input)[verb](request, call)),
    )
    const local: LocalSide = {
      source,
      use: (act) =>
        withProject(input, async (project) => {
          if (project.reader() !== null) await ensureFresh(project, { signal: input.signal })
          return await act(project, sourceIn(project, input))
        }),
    }
    return await use(teamSource(team, local))
  }
  const { OpenClones } = await loadRepositories()
  const { configuredRepositories } = await loadRepositories()
  const { several } = await loadSeveralSources()
  const configured = configuredRepositories()
  using clones = new OpenClones()
  return await use(several(configured, repository, { open: (each) => clones.open(each) }))
}

/** The project as a source for paths as they are typed; its first search updates the index. */
export function sourceIn(project: Project, { signal }: Input): Source {
  return forTypedPaths(project, projectSource(project, { refresh: true, signal, isPatient: true }))
}

/** The source for paths that are relative to the working directory. */
export function forTypedPaths(project: Project, source: Source): Source {
  const fromRoot = (path: string | undefined) => path && asFilters(project, [path])[0]!
  return {
    ...source,
    search: (request, call) => source.search({ ...request, paths: asFilters(project, request.paths) }, call),
    context: (request, call) =>
      source.context({ ...request, paths: asFilters(project, request.paths) }, call),
    grep: (question, call) => source.grep({ ...question, paths: asFilters(project, question.paths) }, call),
    symbol: (request, call) => {
      const [file, symbol] = (request.name ?? "").split(/(?=#)(?<=\.[^/#.]*)/, 2)
      const isPlace = symbol !== undefined || withoutLines(file!).lines !== null
      const name = isPlace ? `${fromRoot(file)}${symbol ?? ""}` : request.name
      return source.symbol({ ...request, name, path: fromRoot(request.path) }, call)
    },
  }
}

/** Project options from the flags; the configuration parses and checks their values. `root`: the first of several. */
export function projectOptions({ flags, cwd }: Input, root = flags.text("root")): ProjectOptions {
  return {
    cwd,
    root,
    "performance.memory_limit": flags.text("memory-limit"),
    "log.level": flags.text("log-level") ?? usualLevel(flags),
  }
}

function usualLevel(flags: FlagValues): string | undefined {
  if (flags.has("quiet")) return "silent"
  return flags.has("verbose") ? "debug" : undefined
}

/** Prints notices on stderr: degradations, an incomplete index. */
export function remarkNotices(input: Input, notices: readonly string[]): void {
  if (input.flags.has("quiet")) return
  const { remark, remarkColors } = input.output
  for (const notice of notices) remark(`${remarkColors.yellow("note:")} ${printableLine(notice)}\n`)
}

/**
 * Runs `use` with the memory for the project selected by the flags. Changes of entries that are shared with a team are
 * sent to the team's server.
 */
export async function withMemory<T>(input: Input, use: (memory: Memory) => Promise<T>): Promise<T> {
  const { openMemory } = await loadMemory()
  const { withRepair } = await loadMemoryHandle()
  return withRepair(async () => {
    using memory = await openMemory({ cwd: input.cwd, root: input.flags.text("root") })
    if (!existsSync(join(userDataDir(), "team-memory"))) return await use(memory)
    const before = memory.knowledge.lastSeq()
    const result = await use(memory)
    if (memory.knowledge.lastSeq() > before) remarkNotices(input, await sendChanges())
    return result
  })
}

/** Sends changes of shared entries to the team's server; returns a notice if they have to wait. */
async function sendChanges(): Promise<string[]> {
  const { hasTeamMemory, refusals, syncTeamMemory } = await loadTeamCopy()
  if (!hasTeamMemory()) return []
  try {
    return refusals((await syncTeamMemory()).refused)
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    return [`not sent to the team yet: ${error.message}`]
  }
}
