import { CONTEXT_LIMITS, type ContextBundle, type ContextRequest } from "../../../app/context/request.ts"
import { unlessNoProject } from "../../../app/project/root.ts"
import { teamName } from "../../../app/repositories/choose.ts"
import { AmanError } from "../../../base/errors.ts"
import { type Command, EXIT, type Input } from "../../command.ts"
import { NAMES_FLAG } from "../../flags/names.ts"
import { otherRepository } from "../../flags/other-repository.ts"
import { asFilters, PATH_HELP } from "../../flags/project-paths.ts"
import { standardInput } from "../../flags/standard-input.ts"
import { numberFlag } from "../../flags/values.ts"
import { printable } from "../../render/printable.ts"
import { INDEX_FLAGS, withProject } from "../../with-project.ts"

const { tokens, files } = CONTEXT_LIMITS

export const contextCommand: Command = {
  usage: "[flags] TASK...",
  details: `Collects what an agent needs to know for a task, within a token budget (o200k_base): the most relevant
definitions, their callees and callers, their tests and latest commits, and related memories; other files that match
are named. Each part says why it is included, and hints name what was left out. The index is
built or updated first. Everything after -- belongs to the task; - reads the task from stdin. Exits with 1 if nothing
is found.`,
  flags: [
    NAMES_FLAG,
    {
      name: "max-tokens",
      value: "N",
      help: `At most N tokens, ${tokens.min} to ${tokens.max} (default: ${tokens.usual})`,
    },
    {
      name: "max-files",
      value: "N",
      help: `At most N files, up to ${files.max} (default: as many as fit)`,
    },
    { name: "path", value: "PATH", multiple: true, help: PATH_HELP },
    {
      name: "repository",
      short: "r",
      value: "NAME",
      help: "Use other repositories whose name contains NAME, or '*' for all (see aman repos)",
    },
    {
      name: "team",
      value: "NAME",
      help: "Use the team's repositories whose name contains NAME, or '*' for all (see aman team)",
    },
    { name: "no-related", help: "Leave out callers, callees and commits" },
    { name: "no-tests", help: "Leave out tests" },
    { name: "no-memories", help: "Leave out memories" },
    ...INDEX_FLAGS,
  ],
  examples: [
    { line: "aman context -- add a --json flag to the export command", note: "a task" },
    {
      line: 'aman context --names "renew ttl" where are sessions renewed',
      note: "with names that the code may use",
    },
    { line: "aman context --max-tokens 1000 where are sessions renewed", note: "the essentials only" },
    {
      line: "aman context --root ~/work/shop --json --max-tokens 2000 -- fix the cart total",
      note: "for a program",
    },
    { line: "gh issue view 12 | aman context -", note: "the task from stdin" },
    { line: "aman context --repository '*' retry back-off", note: "from all other repositories" },
  ],
  async run(input) {
    const request = await contextRequest(input)
    const repository = otherRepository(input)
    const bundle =
      repository === undefined
        ? await contextOfProject(input, request)
        : await contextOfOthers(input, repository, request)
    if (input.flags.has("json")) await input.output.json(bundle)
    else {
      const { contextText } = await import("../../../app/context/bundle.ts")
      await input.output.write(printable(contextText(bundle)))
    }
    return bundle.files.length === 0 ? EXIT.nothingFound : EXIT.ok
  },
}

async function contextOfProject(input: Input, request: ContextRequest): Promise<ContextBundle> {
  const { contextOf } = await import("../../../app/context/context-project.ts")
  const { memoriesIn } = await import("../../../app/context/memories.ts")
  await using memories = memoriesIn({ cwd: input.cwd, root: input.flags.text("root") })
  return await withProject(input, (project) =>
    contextOf(
      project,
      { ...request, paths: asFilters(project, request.paths) },
      { refresh: true, signal: input.signal, memories: memories?.hints ?? null },
    ),
  )
}

/** Context from other repositories. Does not update their indexes, which `aman repos sync` and servers do. */
async function contextOfOthers(
  input: Input,
  repository: string,
  request: ContextRequest,
): Promise<ContextBundle> {
  const team = teamName(repository)
  if (team !== null) {
    const { contextWithNotice, orThisProject } = await import("../../../app/team/client/without-server.ts")
    return orThisProject(
      () => contextOfTeam(input, team, request),
      (notice) => contextWithNotice(request, notice, (asked) => contextOfProject(input, asked)),
    )
  }
  const { OpenClones } = await import("../../../app/repositories/clones.ts")
  const { configuredRepositories } = await import("../../../app/repositories/configured.ts")
  const { contextOfRepositories } = await import("../../../app/repositories/context.ts")
  const configured = configuredRepositories()
  using clones = new OpenClones(configured.config)
  return await contextOfRepositories(configured, repository, request, (each) => clones.open(each))
}

/** Context from the team's server. For files that differ in this checkout, those of this machine are used. */
async function contextOfTeam(input: Input, team: string, request: ContextRequest): Promise<ContextBundle> {
  const { teamClient } = await import("../../../app/team/client/client.ts")
  const { withLocalContext } = await import("../../../app/team/client/local-context.ts")
  const { searchProject } = await import("../../../app/search/search-project.ts")
  const bundle = await teamClient().context(team, request)
  return unlessNoProject(bundle, () =>
    withProject(input, (project) =>
      withLocalContext(bundle, team, project, request, (asked) =>
        searchProject(project, asked, { refresh: true, signal: input.signal }),
      ),
    ),
  )
}

async function contextRequest(input: Input): Promise<ContextRequest> {
  const { flags } = input
  return {
    query: await task(input),
    names: flags.all("names"),
    maxTokens: numberFlag(flags, "max-tokens", tokens.min, tokens.max) ?? tokens.usual,
    maxFiles: numberFlag(flags, "max-files", 1, files.max),
    paths: flags.all("path"),
    related: !flags.has("no-related"),
    tests: !flags.has("no-tests"),
    memories: !flags.has("no-memories"),
  }
}

async function task({ words, flags, signal }: Input): Promise<string> {
  const isPiped = words.length === 0 && !flags.has("names") && process.stdin.isTTY !== true
  const typed = words.join(" ") === "-" || isPiped ? await standardInput(signal) : words.join(" ")
  if (typed.trim() !== "" || flags.has("names")) return typed.trim()
  throw new AmanError("USAGE", "no task given", {
    hint: "for example: aman context fix the total of an empty cart; for an overview of the project: aman map",
  })
}
