import type { ListedProject } from "../../../app/project/status-project.ts"
import { type Command, EXIT, type Input } from "../../command.ts"
import { subcommand } from "../../flags/subcommand.ts"
import { ago, bytes, removedText } from "../../render/numbers.ts"
import { printableLine } from "../../render/printable.ts"

export const projectsCommand: Command = {
  usage: "[VERB] [flags] [ROOT]",
  details: `Lists all projects that aman has indexed for you. remove deletes the index of a project; the project
itself is not touched, and a search in it builds a new index.`,
  verbs: [
    ["list", "Root, size and age of each index (default)"],
    ["remove ROOT", "Delete its index"],
  ],
  flags: [],
  examples: [
    { line: "aman projects", note: "root, size and age of each index" },
    { line: "aman projects remove ~/work/shop", note: "delete its index" },
    {
      line: "aman projects list --json",
      note: '{"projects":[{"root","index_dir","state","index_bytes",…}]}',
    },
  ],
  async run(input) {
    const { name, words } = subcommand(input, { list: 0, remove: 1 }, "list", projectsCommand.examples)
    const { listProjects, removeProject } = await import("../../../app/project/status-project.ts")
    if (name === "list") return printProjects(input, listProjects())
    const removed = removeProject(words[0]!, input.cwd)
    if (input.flags.has("json")) await input.output.json({ removed })
    else if (!input.flags.has("quiet")) await input.output.write(removed.map(removedText).join(""))
    return EXIT.ok
  },
}

async function printProjects({ flags, output }: Input, projects: readonly ListedProject[]): Promise<number> {
  const c = output.colors
  if (flags.has("json")) await output.json({ projects })
  else if (projects.length === 0) await output.write("no project has been indexed yet\n")
  else {
    const width = Math.max(...projects.map(({ root }) => printableLine(root).length))
    const lines = projects.map(({ root, state, index_bytes, last_changed }) => {
      const when =
        state === "gone"
          ? c.yellow("the project folder is missing")
          : `changed ${last_changed === null ? "never" : ago(last_changed)}`
      return `${printableLine(root).padEnd(width)}  ${bytes(index_bytes).padStart(7)}  ${c.dim(when)}\n`
    })
    await output.write(lines.join(""))
  }
  return EXIT.ok
}
