import { createTwoFilesPatch } from "diff"
import type { AppliedPlan } from "./apply-plan.ts"
import type { FilePlan } from "./file-plan.ts"
import type { SetupChoice, SetupPlan } from "./setup.ts"

/** Plan and result as JSON. */
export function setupJson(
  plan: SetupPlan,
  choice: SetupChoice,
  applied: readonly AppliedPlan[] | null,
): object {
  return {
    scope: choice.project === null ? "user" : "project",
    project: choice.project,
    removal: choice.isRemoval,
    applied: applied !== null,
    clients: plan.clients.map(({ client, sign }) => ({
      id: client.id,
      name: client.name,
      found: sign,
      next: client.after,
    })),
    files: plan.files.map((file, index) => fileJson(file, applied?.[index])),
    notices: plan.notices,
  }
}

function fileJson(plan: FilePlan, applied: AppliedPlan | undefined): object {
  const { file, path, owners, state, before, after, problem } = plan
  return {
    file,
    path,
    clients: [...new Set(owners.map((owner) => owner.split("/")[0]))],
    parts: [...new Set(owners.map((owner) => owner.split("/")[1]))],
    state: applied?.failure ? "failed" : state,
    diff: before === after ? null : renderDiff(file, before, after),
    backup: applied?.backup ?? null,
    problem:
      problem === null ? null : { message: problem.message, line: problem.line, by_hand: problem.byHand },
    failure: applied?.failure ?? null,
  }
}

const MAX_LINE_CHARACTERS = 160
/** Pattern for values of keys, tokens and passwords, which settings files of other tools may contain. */
const SECRET =
  /((?:key|token|secret|password|passwd|authorization|bearer)[\w-]*["']?\s*[:=]\s*["'])[^"']{6,}/gi

/** A change as a diff like that of `diff -u`. Long lines are cut, and values that look like secrets are hidden. */
export function renderDiff(file: string, before: string | null, after: string | null): string {
  const from = before === null ? "/dev/null" : file
  const to = after === null ? "/dev/null" : file
  const patch = createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, { context: 2 })
  const lines = patch.slice(patch.indexOf("--- ")).trimEnd().split("\n")
  // Lines are cut before secrets are hidden, because one line may contain megabytes.
  return lines.map((line) => cut(line.replace(/\r$/, "")).replace(SECRET, "$1…")).join("\n")
}

function cut(line: string): string {
  return line.length <= MAX_LINE_CHARACTERS ? line : `${line.slice(0, MAX_LINE_CHARACTERS)}…`
}
