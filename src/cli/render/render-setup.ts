import type { AppliedPlan } from "../../setup/apply-plan.ts"
import type { FilePlan } from "../../setup/file-plan.ts"
import type { SetupChoice, SetupPlan } from "../../setup/setup.ts"
import { renderDiff } from "../../setup/setup-json.ts"
import type { Input } from "../command.ts"
import type { Colors } from "../output.ts"
import { printable, printableLine } from "./printable.ts"

type RenderInput = Pick<Input, "output" | "flags">

const STATES: Readonly<Record<FilePlan["state"], string>> = {
  same: "up to date",
  create: "new file",
  change: "change",
  delete: "delete",
  kept: "left alone",
  broken: "cannot be changed",
}

const MAX_LINES = 32
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
  const hiddenLines = isWhole || body.length <= MAX_LINES ? 0 : body.length - SHOWN_LINES
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
