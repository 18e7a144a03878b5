import { existsSync } from "node:fs"
import { resolve } from "node:path"
import type { Project } from "../../../app/project/open-project.ts"
import { AmanError } from "../../../base/errors.ts"
import { LOG } from "../../../verbs/code.ts"
import { type Command, EXIT } from "../../command.ts"
import { reportFailure } from "../../failure.ts"
import { flagsOf, fromFlags } from "../../flags/flags.ts"
import { inProject } from "../../flags/project-paths.ts"
import { printable } from "../../render/printable.ts"
import { INDEX_FLAGS, remarkNotices, withProject } from "../../with-project.ts"

export const logCommand: Command = {
  usage: "[flags] WHAT",
  details: `Lists the commits that changed a file, lines or a definition, followed through renames of the file, with their
messages and pull request numbers, and what was remembered about it. WHAT is PATH, PATH:10-40, PATH#SYMBOL or a symbol. If
git needs more than six seconds for the whole history of a place, only the last 1,000 commits are searched, and the output
says so.`,
  flags: [...flagsOf(LOG), ...INDEX_FLAGS],
  examples: [
    { line: "aman log parseConfig", note: "commits that changed a function" },
    { line: "aman log src/config.ts#parseConfig", note: "the one in this file" },
    { line: "aman log src/config.ts:10-40 -n 3", note: "the last three commits that changed these lines" },
    { line: "aman log src/config.ts --json", note: "a file, with whole messages" },
  ],
  async run(input) {
    const { words, flags, output, signal } = input
    const [what, ...others] = words
    if (what === undefined || others.length > 0)
      throw new AmanError("USAGE", "log takes one path or symbol", {
        hint: "for example: aman log parseConfig",
      })
    const { limit } = fromFlags(LOG, flags)
    const { codeLog, logText } = await import("../../../app/symbols/code-log.ts")
    const { memoriesIn } = await import("../../../app/context/memories.ts")
    await using memories = memoriesIn({ cwd: input.cwd, root: flags.text("root") })
    const answer = await withProject(input, (project) =>
      codeLog(
        project,
        { what: fromRoot(project, input.cwd, what), limit },
        { refresh: true, signal },
        memories?.about ?? (async () => []),
      ),
    ).catch((error: unknown) => {
      if (error instanceof AmanError && error.code === "NOT_FOUND") return error
      throw error
    })
    if (answer instanceof AmanError) {
      await reportFailure(answer, { json: flags.has("json"), verbose: flags.has("verbose") }, output)
      return EXIT.nothingFound
    }
    if (flags.has("json")) await output.json(answer)
    else await output.write(`${printable(logText(answer))}\n`)
    remarkNotices(input, answer.notices)
    return answer.places.some(({ commits }) => commits.length > 0) ? EXIT.ok : EXIT.nothingFound
  },
}

/**
 * The typed word relative to the root if it is a path that exists in the working directory; otherwise the word
 * unchanged.
 */
function fromRoot(project: Project, cwd: string, what: string): string {
  const [path = what, rest = ""] = /^(.+?)((?:#.+|:\d+(?:-\d+)?)?)$/.exec(what)?.slice(1) ?? []
  if (!existsSync(resolve(cwd, path))) return what
  const [fromRootPath = path] = inProject(project, [path])
  return fromRootPath.startsWith("../") ? what : `${fromRootPath}${rest}`
}
