import type { Project, ProjectOptions } from "../app/open-project.ts"
import { QUANTIZATIONS } from "../config/settings.ts"
import type { Flag, FlagValues, Input } from "./command.ts"
import { printableLine } from "./printable.ts"
import { type ProgressReporter, reportProgress } from "./progress.ts"

/** Flags of the commands that may write the index. */
export const INDEX_FLAGS: readonly Flag[] = [
  {
    name: "memory-limit",
    value: "SIZE",
    help: "Plan with this much memory, e.g. 2GB (default: 40 % of the machine, 16 GiB at most)",
  },
  {
    name: "quantization",
    value: "TYPE",
    choices: QUANTIZATIONS,
    help: "Precision of stored vectors: f32, f16 or i8 (default: f16)",
  },
]

/** Opens the project that the flags name, shows the progress of whatever indexing is done, and closes it. */
export async function withProject<T>(
  input: Input,
  use: (project: Project, progress: ProgressReporter) => Promise<T>,
): Promise<T> {
  const { openProject } = await import("../app/open-project.ts")
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
      input.output.remark("interrupted; what is indexed is kept, and the next run goes on from there\n")
    }
    throw error
  } finally {
    progress.done()
  }
}

/** What the flags say about the project, as it was typed: the configuration reads and checks the values. */
export function projectOptions({ flags, cwd }: Input): ProjectOptions {
  return {
    cwd,
    root: flags.text("root"),
    "performance.memory_limit": flags.text("memory-limit"),
    "performance.quantization": flags.text("quantization"),
    "log.level": flags.text("log-level") ?? usualLevel(flags),
  }
}

function usualLevel(flags: FlagValues): string | undefined {
  if (flags.has("quiet")) return "silent"
  return flags.has("verbose") ? "debug" : undefined
}

/** Remarks beside a result: degradations in force, an index that is not whole. */
export function remarkNotices(input: Input, notices: readonly string[]): void {
  if (input.flags.has("quiet")) return
  const { remark, remarkColors } = input.output
  for (const notice of notices) remark(`${remarkColors.yellow("note:")} ${printableLine(notice)}\n`)
}
