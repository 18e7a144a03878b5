import { expect, test } from "bun:test"
import { join } from "node:path"
import { commit, git } from "../git-repository.ts"
import { connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

test("report counts recorded calls and what followed them, and replays past commits; memory cost counts by day", async () => {
  using space = new Workspace({
    "src/refund.ts": "export function refundPayment(id: string) {\n  return id\n}\n",
    "src/login.ts": "export function limitAttempts(count: number) {\n  return count < 5\n}\n",
    "yarn.lock": "# no answer names this file\n",
    "src/other.ts": "export const other = 1\n",
  })
  const { project } = space
  git(project, "init", "-q", "--template=", "-b", "main")
  commit(project, "first")
  space.write("src/refund.ts", "export function refundPayment(id: string) {\n  return id.trim()\n}\n")
  commit(project, "refund payment: trim its id")
  space.write("src/other.ts", "export const other = 2\n")
  commit(project, "zorblax quuxly")
  const silent = await space.json(["report", "--seconds", "0"])
  expect(silent).toMatchObject({ recording: false, calls: 0, replay: null })
  for (const asked of [
    ["report", "--seconds", "0"],
    ["memory", "cost"],
  ])
    expect((await space.run(asked)).stdout).toContain("aman config set ui.record_calls true")
  await space.run(["config", "set", "ui.record_calls", "true"])
  {
    await using agent = await connect(space)
    await agent.call("search", { query: "refund payment" })
    await agent.call("read", { path: "src/refund.ts" })
    await agent.call("read", { path: "src/refund.ts" })
    await agent.call("recall", { query: "refund" })
  }
  const hook = (tool: string, input: object) =>
    space.run(["hook", "pre-tool-use", "--agent", "claude-code"], {
      // A hook that its deadline ends is not recorded.
      env: { AMAN_HOOKS_DEADLINE: "30s" },
      stdin: JSON.stringify({ session_id: "s", cwd: project, tool_name: tool, tool_input: input }),
    })
  await hook("Grep", { pattern: "limitAttempts" })
  await hook("Read", { file_path: join(project, "yarn.lock") })
  const report = await space.json(["report"])
  expect(report).toMatchObject({ recording: true, calls: 6, answers: 1, searches_after: 1 })
  expect(report).toMatchObject({ reads: 3, reads_of_named: 2, read_again: 1 })
  expect(report.used).toEqual([
    { query: "refund payment", tokens: expect.any(Number), files: ["src/refund.ts"] },
  ])
  expect(report.memory_tokens).toBeGreaterThan(0)
  expect(report.ripgrep).toMatchObject({ answers: 1, missed: 0 })
  expect(report.ripgrep.tokens).toBeGreaterThan(0)
  const [unknown, refund] = report.replay.commits
  expect(refund).toMatchObject({ files: ["src/refund.ts"], aman: { named: 1 }, ripgrep: { named: 1 } })
  // Nothing that a commit says is a word of its file: neither way finds it, and the past commit does not count.
  expect(unknown).toMatchObject({ subject: "zorblax quuxly", ripgrep: { tokens: 0, named: 0 } })
  const { stdout } = await space.run(["report"])
  expect(stdout).toContain("files read: 3, of these named by an answer before: 2, read again: 1")
  expect(stdout).toMatch(/^ripgrep: all files named in 1 of 2;/m)
  expect(stdout).toContain("How this was computed")
  const { memory_tokens, hook_tokens, last } = report
  for (const [TZ, hours] of [
    ["Etc/GMT-14", 14],
    ["Etc/GMT+12", -12],
  ] as const) {
    const cost = JSON.parse((await space.run(["memory", "cost", "--json"], { env: { TZ } })).stdout)
    const day = new Date(Date.parse(last) + hours * 3_600_000).toISOString().slice(0, 10)
    expect(cost.days[0]).toMatchObject({ day, last })
    const sum = (of: string) =>
      cost.days.reduce((all: number, each: Record<string, number>) => all + each[of]!, 0)
    expect(["calls", "memory_tokens", "hook_tokens"].map(sum)).toEqual([3, memory_tokens, hook_tokens])
  }
  expect((await space.run(["memory", "cost"])).stdout).toContain("  recall: 1 call, ")
}, 60_000)
