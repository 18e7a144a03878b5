import { expect, test } from "bun:test"
import { commit, git } from "../git-repository.ts"
import { HookSpace } from "./hook-space.ts"

test("a change that was tried and reverted is shown by context, before an edit and in the history", async () => {
  using space = await HookSpace.make({ notes: [], isIndexed: false })
  const run = (...args: string[]) => git(space.project, ...args)
  run("init", "-q", "-b", "main")
  commit(space.project, "First")
  space.write("src/retry.ts", "export const MAX_ATTEMPTS = 50\n")
  commit(space.project, "Raise the webhook attempts to fifty")
  run("revert", "--no-edit", "HEAD")
  run(
    "commit",
    "-q",
    "--amend",
    "-m",
    `${run("log", "-1", "--format=%B").trim()}\n\nA partner's queue broke down.\n`,
  )
  space.write("src/orders.ts", "export const orders = 2\n")
  commit(space.project, "Count orders twice")
  run("revert", "--no-edit", "HEAD")
  run("revert", "--no-edit", "HEAD")

  const said = "Raise the webhook attempts to fifty (A partner's queue broke down.)"
  const { hints } = await space.json(["context", "--", "raise MAX_ATTEMPTS of the webhook sender"])
  expect(hints.filter((hint: string) => hint.startsWith("tried and reverted"))).toEqual([
    expect.stringContaining(said),
  ])
  const edit = (path: string) =>
    space.hook("pre-tool-use", {
      ...{ session_id: "s", cwd: "$PROJECT", hook_event_name: "PreToolUse", tool_name: "Edit" },
      tool_input: { file_path: `$PROJECT/${path}` },
    })
  expect((await edit("src/retry.ts")).stdout).toContain(said)
  expect((await edit("src/retry.ts")).stdout).toBe("")
  expect((await edit("src/orders.ts")).stdout).toBe("")
  const [place] = (await space.json(["log", "src/retry.ts"])).places
  expect(place.commits[1].subject).toBe("Raise the webhook attempts to fifty (reverted)")
  const [counted] = (await space.json(["log", "src/orders.ts"])).places
  expect(counted.commits.map(({ subject }: { subject: string }) => subject)).toEqual([
    expect.stringMatching(/^Re(?:apply|vert "Revert) "Count orders twice"/),
    'Revert "Count orders twice" (reverted)',
    "Count orders twice",
    "First",
  ])
}, 60_000)
