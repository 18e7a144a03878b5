import type { AppliedPlan } from "./apply-plan.ts"
import type { FilePlan } from "./file-plan.ts"
import { renderDiff } from "./render-diff.ts"
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
