import { describe, expect, test } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser"
import { parse } from "yaml"
import bun from "./launchers/package.json" with { type: "json" }
import { project } from "./release/product.ts"
import { TARGETS } from "./targets.ts"

const folder = join(project, ".github", "workflows")
const names = readdirSync(folder)
const read = (name: string) => readFileSync(join(folder, name), "utf8")

type Step = {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
}
type Job = {
  readonly steps: readonly Step[]
  readonly permissions?: object
  readonly "timeout-minutes"?: number
  readonly strategy?: { readonly matrix: { readonly include?: readonly { readonly binary: string }[] } }
}
type Workflow = { readonly permissions: object; readonly jobs: Readonly<Record<string, Job>> }

/** Errors that GitHub's own parser of workflows finds. */
function problems(name: string, content: string): string[] {
  const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  return context.errors.getErrors().map(({ message }) => message)
}

test("there is one workflow for changes and one for releases", () => {
  expect(names.sort()).toEqual(["ci.yml", "release.yml"])
})

describe.each(names)("%s", (name) => {
  const workflow: Workflow = parse(read(name))
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps)

  test("is valid for GitHub", () => {
    expect(problems(name, read(name))).toEqual([])
  })

  test("uses each action at a fixed commit, never at a tag that can be moved", () => {
    for (const { uses } of steps)
      if (uses !== undefined) expect(uses).toMatch(/^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/)
    const versions = [...read(name).matchAll(/uses: (\S+)@(\w{40})(.*)$/gm)]
    for (const [, , , comment] of versions) expect(comment).toMatch(/^ # v\d+\.\d+\.\d+$/)
  })

  test("may only read unless a job says otherwise, and has time limits", () => {
    expect(workflow.permissions).toEqual({ contents: "read" })
    const more = Object.entries(workflow.jobs).filter(([, job]) => job.permissions !== undefined)
    expect(more.map(([job]) => job)).toEqual(name === "release.yml" ? ["publish"] : [])
    for (const job of Object.values(workflow.jobs)) expect(job["timeout-minutes"]).toBeGreaterThan(0)
  })

  test("keeps no token and passes no foreign text to a shell", () => {
    for (const { uses, run, with: options } of steps) {
      if (uses?.startsWith("actions/checkout@")) expect(options?.["persist-credentials"]).toBe(false)
      if (run !== undefined) expect(run).not.toMatch(/\$\{\{\s*github\.(?:event|head_ref|ref_name)/)
    }
  })

  test("runs only existing scripts", () => {
    const scripts = steps.flatMap(({ run }) => [...(run ?? "").matchAll(/(?:scripts|\.ci|test)\/[\w./-]+/g)])
    expect(scripts.length).toBeGreaterThan(0)
    for (const [path] of scripts) expect([path, existsSync(join(project, path))]).toEqual([path, true])
  })
})

test("a release is tested on every system before it is published, with the pinned Bun", () => {
  const { jobs }: Workflow = parse(read("release.yml"))
  const tried = jobs["smoke"]!.strategy!.matrix.include!.map(({ binary }) =>
    binary.replace(/^aman-|\.exe$/g, ""),
  )
  const musl = jobs["smoke-musl"]!.steps.flatMap(
    ({ run }) => /smoke\.ts dist\/aman-(\S+)/.exec(run ?? "")?.[1] ?? [],
  )
  // Without linux-arm64-musl, because there is no runner for musl on ARM.
  const names = TARGETS.map((target) => target.name).filter((target) => target !== "linux-arm64-musl")
  expect([...tried, ...musl].sort()).toEqual(names.sort())
  const { version, optionalDependencies } = bun
  expect(read("release.yml")).toContain(`bun-version: ${version} }`)
  expect(new Set(Object.values(optionalDependencies))).toEqual(new Set([version]))
})

test("GoReleaser's own action checks its configuration, with the version that releases", () => {
  const steps = ["ci.yml", "release.yml"].map((name) => {
    const { jobs }: Workflow = parse(read(name))
    return Object.values(jobs)
      .flatMap((job) => job.steps)
      .find(({ uses }) => uses?.startsWith("goreleaser/goreleaser-action@"))!
  })
  expect(steps.map((step) => step.with?.["args"])).toEqual(["check", "release --clean"])
  expect(new Set(steps.map((step) => `${step.uses} ${step.with?.["version"]}`)).size).toBe(1)
})

test("the reader detects errors", () => {
  const content = read("ci.yml")
  expect(problems("ci.yml", content.replace("runs-on:", "runs-at:"))).not.toEqual([])
  expect(problems("ci.yml", content.replace("steps:", "stages:"))).not.toEqual([])
})
