import { AmanError } from "../../../base/index.ts"
import { findRoot } from "../../../index/index.ts"
import type { AppliedPlan } from "../../setup/apply-plan.ts"
import { CLIENTS, PARTS, type SetupPart } from "../../setup/clients/clients.ts"
import type { FilePlan } from "../../setup/file-plan.ts"
import type { SetupChoice, SetupPlan } from "../../setup/setup.ts"
import { renderDiff, setupJson } from "../../setup/setup-json.ts"
import { type Command, EXIT, type Flag, type Input } from "../command.ts"
import { listFlag } from "../flags.ts"
import { type Colors, confirm } from "../output.ts"
import { printable, printableLine } from "../text.ts"
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
    const { planSetup, setupChoice } = await import("../../setup/setup.ts")
    const choice = setupChoice(chosenIn(input))
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

function chosenIn(input: Input) {
  const { flags, words, cwd } = input
  if (flags.has("user") && flags.has("project")) {
    throw new AmanError("USAGE", "--user and --project cannot be combined")
  }
  const project = flags.has("project") ? findRoot({ root: flags.text("root"), cwd }).root : null
  return { clients: words, parts: chosenParts(input), isRemoval: flags.has("remove"), project }
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

type RenderInput = Pick<Input, "output" | "flags">

const STATES: Readonly<Record<FilePlan["state"], string>> = {
  same: "up to date",
  create: "new file",
  change: "change",
  delete: "delete",
  kept: "left alone",
  broken: "cannot be changed",
}

const SHOWN_LINES = 24

/** The planned changes, file by file. */
export function planText({ files }: SetupPlan, choice: SetupChoice, { output, flags }: RenderInput): string {
  const { colors: c } = output
  const where =
    choice.project === null ? "your own settings, for every project" : `the project ${choice.project}`
  // A removal does not list files that contain no entry of aman.
  const shown = files.filter(({ state }) => state !== "same" || !(flags.has("quiet") || choice.isRemoval))
  return [
    `${c.bold(`${choice.isRemoval ? "Removing from" : "Setting up"} ${printableLine(where)}`)}\n`,
    ...shown.map((plan) => fileText(plan, choice, { c, isWhole: flags.has("verbose") })),
  ].join("\n")
}

/** Result of the changes, and next steps. */
export function appliedText(
  plan: SetupPlan,
  choice: SetupChoice,
  applied: readonly AppliedPlan[] | null,
  { output, flags }: RenderInput,
): string {
  const changes = plan.files.filter(({ before, after }) => before !== after)
  if (changes.length === 0) return flags.has("quiet") ? "" : "\nnothing to change\n"
  if (applied === null) {
    return flags.has("dry-run")
      ? "\nnothing was written: --dry-run\n"
      : "\nnothing was written; to write without asking: --yes\n"
  }
  const { colors: c } = output
  const lines = applied.flatMap((each) => resultLines(each, choice, c))
  return `\n${[...lines, ...undoLines(applied, choice), ...nextLines(plan, choice, flags)].join("\n")}\n`
}

type Style = { readonly c: Colors; readonly isWhole: boolean }

function fileText(plan: FilePlan, choice: SetupChoice, { c, isWhole }: Style): string {
  const { owners, state, before, after, problem } = plan
  const title = `${c.bold(shortPath(plan, choice))}  ${c.dim(owners.map((owner) => owner.replace("/", " ")).join(", "))}`
  const line = `${title}: ${stateColor(state, c)(STATES[state])}\n`
  if (problem !== null) return line + problemText(plan, choice, c)
  if (before === after) return line
  const lines = renderDiff(shortPath(plan, choice), before, after).split("\n")
  // A new or deleted file has a single hunk, whose position is not shown.
  const body = lines.slice(before === null || after === null ? 3 : 2)
  const hiddenLines = isWhole || body.length <= 32 ? 0 : body.length - SHOWN_LINES
  const shown = hiddenLines === 0 ? body : body.slice(0, SHOWN_LINES)
  const rest =
    hiddenLines === 0 ? "" : `  ${c.dim(`… and ${hiddenLines} lines more; --verbose shows them`)}\n`
  return line + shown.map((text) => `  ${diffColor(text, c)(printableLine(text))}\n`).join("") + rest
}

function problemText({ problem, file, state }: FilePlan, { isRemoval }: SetupChoice, c: Colors): string {
  const { message, line, byHand } = problem!
  const place = line === null ? "" : `${file}:${line}: `
  const what = `  ${printableLine(place + message)}\n`
  if (state !== "broken" || byHand === "") return what
  const hand = isRemoval ? "remove by hand:" : "repair the file and run this again, or add by hand:"
  const lines = printable(byHand).split("\n")
  return `${what}  ${c.cyan(hand)}\n${lines.map((text) => `    ${text}\n`).join("")}`
}

function resultLines({ plan, backup, failure }: AppliedPlan, choice: SetupChoice, c: Colors): string[] {
  if (failure !== null) {
    const hint = failure.hint === null ? [] : [`        ${printableLine(failure.hint)}`]
    return [`${c.red("failed")}  ${printableLine(failure.message)}`, ...hint]
  }
  if (plan.before === plan.after) return []
  const done = plan.after === null ? "deleted" : "wrote"
  const backupNote = backup === null ? "" : `  ${c.dim(`(what it was: ${printableLine(backup)})`)}`
  return [`${c.green(done)}  ${shortPath(plan, choice)}${backupNote}`]
}

function undoLines(applied: readonly AppliedPlan[], { isRemoval }: SetupChoice): string[] {
  const hasBackup = applied.some(({ backup }) => backup !== null)
  if (!hasBackup) return []
  const undo = isRemoval ? "" : "to undo everything: aman setup --remove with the same arguments; "
  return ["", `${undo}to undo one file: copy its backup over it`]
}

function nextLines({ clients }: SetupPlan, { isRemoval }: SetupChoice, flags: Input["flags"]): string[] {
  if (isRemoval || flags.has("quiet")) return []
  return ["", ...clients.map(({ client }) => `${client.name}: ${client.after}`)]
}

/** File name with "~" for the home folder. */
function shortPath({ file }: FilePlan, { places }: SetupChoice): string {
  const { home } = places.named
  const isInHome = file.startsWith(home) && /^[\\/]/.test(file.slice(home.length))
  return printableLine(isInHome ? `~${file.slice(home.length)}` : file)
}

function stateColor(state: FilePlan["state"], c: Colors): (text: string) => string {
  if (state === "broken") return c.red
  if (state === "kept") return c.yellow
  return state === "same" ? c.dim : c.green
}

function diffColor(line: string, c: Colors): (text: string) => string {
  if (line.startsWith("+")) return c.green
  return line.startsWith("-") ? c.red : c.dim
}
