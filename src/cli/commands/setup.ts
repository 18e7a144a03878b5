import { AmanError } from "../../base/errors.ts"
import type { AppliedPlan } from "../../setup/apply-plan.ts"
import { CLIENTS, PARTS, type SetupPart } from "../../setup/clients/clients.ts"
import type { SetupChoice, SetupPlan } from "../../setup/setup.ts"
import { setupJson } from "../../setup/setup-json.ts"
import { type Command, EXIT, type Flag, type Input } from "../command.ts"
import { confirm } from "../confirm.ts"
import { listFlag } from "../flags/flags.ts"
import { appliedText, planText } from "../render/render-setup.ts"
import { remarkNotices } from "../with-project.ts"

const WORDS: Readonly<Record<SetupPart, string>> = {
  mcp: "the server",
  hooks: "the hooks",
  instructions: "the lines for CLAUDE.md and AGENTS.md",
  skill: "the skill and the sub-agent",
  permissions: "the permissions",
}

const WITHOUT: readonly Flag[] = PARTS.map((part) => ({
  name: `no-${part}`,
  help: `Leave out ${WORDS[part]}`,
}))

export const setupCommand: Command = {
  usage: "[flags] [CLIENT...]",
  details: `Finds installed agents and editors, or uses the named ones, shows the changes to their settings, and writes them after
you confirm: the MCP server, hooks, a few lines for CLAUDE.md or AGENTS.md, a skill with a sub-agent, and permission for
read-only tools. It adds and changes only aman's own entries; comments, order and other entries stay as they are, and a
copy of every file is kept. The settings are your own, for all projects, unless --project is given. Exits with 4 if the
changes were not confirmed, and with 3 if a settings file is broken.`,
  verbs: CLIENTS.map(({ id, name }) => [id, name] as const),
  flags: [
    {
      name: "remove",
      help: "Undo the setup; files that were not edited since become byte-identical to before",
    },
    { name: "dry-run", short: "n", help: "Show the changes without writing them" },
    { name: "yes", short: "y", help: "Write without asking" },
    { name: "user", help: "Your own settings (default)" },
    { name: "project", help: "The settings of this project, which a team may share" },
    {
      name: "only",
      value: "PARTS",
      choices: PARTS,
      multiple: true,
      help: `Only these parts, of ${PARTS.join(", ")}`,
    },
    ...WITHOUT,
  ],
  examples: [
    { line: "aman setup", note: "all installed agents; asks before writing" },
    { line: "aman setup claude-code --dry-run", note: "show the changes for Claude Code" },
    {
      line: "aman setup cursor --project --only mcp --yes",
      note: "only .cursor/mcp.json of this project, without asking",
    },
    { line: "aman setup --no-hooks --no-permissions", note: "everything else" },
    { line: "aman setup --remove", note: "undo it" },
    {
      line: "aman setup --json",
      note: '{"clients","files":[{"file","state","diff","backup",…}],"applied",…}',
    },
  ],
  async run(input) {
    const choice = await choiceOf(input)
    const { planSetup } = await import("../../setup/setup.ts")
    const plan = planSetup(choice)
    if (plan.clients.length === 0) return reportNoClients(input, choice)
    const changes = plan.files.filter(({ after, before }) => after !== before)
    if (!input.flags.has("json")) await input.output.write(planText(plan, choice, input))
    remarkNotices(input, plan.notices)
    const isAgreed = changes.length === 0 || (await isConfirmed(input, changes.length))
    const { applyPlan } = await import("../../setup/apply-plan.ts")
    const isApplied = isAgreed && !input.flags.has("dry-run")
    const keeping = { folder: choice.folder, now: new Date(), isRemoval: choice.isRemoval }
    const applied = isApplied ? applyPlan(plan.files, keeping) : null
    return reportResult(input, choice, plan, applied)
  },
}

async function choiceOf(input: Input): Promise<SetupChoice> {
  const { flags, words, cwd } = input
  if (flags.has("user") && flags.has("project")) {
    throw new AmanError("USAGE", "--user and --project cannot be combined")
  }
  const { setupChoice } = await import("../../app/project/setup-choice.ts")
  const { findRoot } = await import("../../app/project/root.ts")
  const root = flags.text("root")
  return setupChoice({
    clients: words,
    parts: chosenParts(input),
    isRemoval: flags.has("remove"),
    project: flags.has("project") ? findRoot({ root, cwd }).root : null,
  })
}

function chosenParts({ flags }: Input): ReadonlySet<SetupPart> {
  const only = listFlag(flags, "only")
  const unknown = only.find((part) => !PARTS.some((known) => known === part))
  if (unknown !== undefined) {
    throw new AmanError("USAGE", `unknown part ${JSON.stringify(unknown)}`, {
      hint: `one of ${PARTS.join(", ")}`,
    })
  }
  const wanted = PARTS.filter((part) => only.length === 0 || only.includes(part))
  return new Set(wanted.filter((part) => !flags.has(`no-${part}`)))
}

async function reportNoClients({ flags, output }: Input, choice: SetupChoice): Promise<number> {
  if (flags.has("json")) await output.json(setupJson({ clients: [], files: [], notices: [] }, choice, null))
  else {
    const names = CLIENTS.map(({ id }) => id).join(", ")
    await output.write(`no supported client is installed; to set one up anyway, name it: ${names}\n`)
  }
  return EXIT.nothingFound
}

/** Asks for confirmation; without a terminal only --yes confirms. */
async function isConfirmed({ flags, output, signal }: Input, files: number): Promise<boolean> {
  if (flags.has("yes") || flags.has("dry-run")) return true
  const canAsk = process.stdin.isTTY === true && output.isRemarkTerminal && !flags.has("json")
  if (!canAsk) return false
  return confirm(files === 1 ? "Write this file?" : `Write these ${files} files?`, signal)
}

async function reportResult(
  input: Input,
  choice: SetupChoice,
  plan: SetupPlan,
  applied: readonly AppliedPlan[] | null,
): Promise<number> {
  const { flags, output } = input
  if (flags.has("json")) await output.json(setupJson(plan, choice, applied))
  else await output.write(appliedText(plan, choice, applied, input))
  const isBroken = plan.files.some(({ state }) => state === "broken")
  const isFailed = applied?.some(({ failure }) => failure !== null) ?? false
  if (isBroken || isFailed) return EXIT.failure
  const isPending = applied === null && plan.files.some(({ before, after }) => before !== after)
  return isPending && !flags.has("dry-run") ? EXIT.notWritten : EXIT.ok
}
