import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse, parseAllDocuments } from "yaml"
import { freePort, hasPostgres } from "../postgres.ts"
import { binary } from "./harness.ts"
import { TeamSpace } from "./team-space.ts"

const REPOSITORY = join(import.meta.dir, "..", "..")
const textOf = (name: string) => readFileSync(join(REPOSITORY, "packaging", "team", name), "utf8")

// biome-ignore lint/suspicious/noExplicitAny: tests look at the parts they name
type Parsed = any

const KUBERNETES: readonly Parsed[] = parseAllDocuments(textOf("kubernetes.yaml")).map((document) => {
  expect(document.errors).toEqual([])
  return document.toJS()
})
const COMPOSE: Parsed = parse(textOf("compose.yaml"), { merge: true })
const UNITS = ["aman-team-worker.service", "aman-team-node.service"]
const deployments = KUBERNETES.filter(({ kind }) => kind === "Deployment")

/** The arguments of aman in each packaged file. */
const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ...UNITS.map((name) => {
    const line = /^ExecStart=\/usr\/bin\/aman (.+)$/m.exec(textOf(name))![1]!
    return [name, line.split(" ")] as const
  }),
  ...["worker", "node"].map((name) => [`compose ${name}`, COMPOSE.services[name].command] as const),
  ...deployments.map((each) => [each.metadata.name, each.spec.template.spec.containers[0].args] as const),
]

describe("packages of a team's server", () => {
  test.each(COMMANDS)("%s uses flags that the command has", async (_, [team, verb, ...args]) => {
    expect([team, ["worker", "serve"].includes(verb!)]).toEqual(["team", true])
    const help = await Bun.spawn([binary, "team", verb!, "--help"], { stdout: "pipe" }).stdout.text()
    const flags = args.filter((word) => word.startsWith("--"))
    expect(flags.length).toBeGreaterThan(1)
    for (const flag of flags) expect(help).toMatch(new RegExp(`${flag}[ \n]`))
    const isPublic = args.includes("0.0.0.0")
    expect(isPublic).toBe(args.includes("--behind-proxy"))
  })

  test("variables are those that aman reads", () => {
    const all = ["kubernetes.yaml", "compose.yaml", "team.env.example", "Dockerfile", ...UNITS]
      .map(textOf)
      .join("\n")
    const named = [...new Set(all.match(/AMAN_[A-Z_]+/g))].sort()
    expect(named.length).toBeGreaterThan(9)
    const program = readFileSync(binary)
    expect(named.filter((name) => !program.includes(name))).toEqual([])
  })

  test("services end in time for the answers in progress, and each role has a deployment", () => {
    const seconds = (args: readonly string[]) => Number(args[args.indexOf("--drain") + 1])
    const node = deployments.find(({ metadata }) => metadata.name === "aman-team-node")!.spec.template.spec
    expect(node.terminationGracePeriodSeconds).toBeGreaterThan(30 + seconds(node.containers[0].args))
    expect(deployments.map(({ metadata }) => metadata.labels.role)).toEqual(["worker", "node"])
    for (const { spec } of deployments)
      expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels)
    const service = KUBERNETES.find(({ kind }) => kind === "Service")!
    expect(service.spec.selector).toEqual({ app: "aman-team", role: "node" })
    expect(Number.parseInt(COMPOSE.services.node.stop_grace_period, 10)).toBeGreaterThan(35)
    expect(Object.keys(COMPOSE.services)).toEqual(["database", "worker", "node"])
    expect(COMPOSE.services.node.environment.AMAN_TEAM_DATABASE).toContain("@database:5432")
    expect(COMPOSE.services.node.ports).toEqual(["127.0.0.1:7480:7480"])
    const [worker, answering] = UNITS.map(textOf)
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(answering!)![1])).toBeGreaterThan(35)
    for (const unit of [worker, answering])
      expect(unit).toMatch(
        /\[Unit\][\s\S]+\[Service\][\s\S]+^EnvironmentFile=\/etc\/aman\/team\.env$[\s\S]+\[Install\]/m,
      )
  })
})

type Role = { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }

/** Worker and node of each package, with the variables that the package gives them. */
const PACKAGES: Readonly<Record<string, readonly Role[]>> = {
  systemd: UNITS.map((name, at) => {
    const lines = [...textOf(name).matchAll(/^Environment=(.+)$/gm)].flatMap(([, line]) => line!.split(" "))
    return { args: COMMANDS[at]![1], env: { ...variables(lines), ...variables(exampleSettings()) } }
  }),
  compose: ["worker", "node"].map((name) => {
    const { command, environment } = COMPOSE.services[name]
    return { args: command, env: { ...imageVariables(), ...withDefaults(environment) } }
  }),
  kubernetes: deployments.map(({ spec }) => {
    const [{ args, env = [] }] = spec.template.spec.containers
    const own = Object.fromEntries(
      env.flatMap(({ name, value }: Parsed) =>
        value === undefined ? [] : [[name, value.replace("$(POD_IP)", "127.0.0.1")]],
      ),
    )
    const { stringData } = KUBERNETES.find(({ kind }) => kind === "Secret")!
    return { args, env: { ...imageVariables(), ...stringData, ...own } }
  }),
}

describe.skipIf(!hasPostgres || process.platform === "win32")("the packaged commands", () => {
  test.each(Object.entries(PACKAGES))(
    "of %s index and answer with the variables of the package, and end when asked",
    async (_, [worker, node]) => {
      await using team = await TeamSpace.start()
      const open = team.box.repository("open", { "retry.py": "def retry(request):\n    return request\n" })
      await team.admin("add", open)
      await team.admin("grant", "all", open)
      const token = await team.token("ada", "all")
      const port = await freePort()
      const start = ({ args, env }: Role, ...more: string[]) => {
        // Every folder of the package lies in that of the test.
        const placed = Object.entries(env).map(([name, value]) => [
          name,
          value.replace(/^\/(?=data|var\/lib)/, `${team.space.dir}/`).replace(":7480", `:${port}`),
        ])
        const database = { AMAN_TEAM_DATABASE: team.postgres.url }
        return Bun.spawn([binary, ...args, ...more], {
          ...{ cwd: "/", stdin: "ignore", stdout: "ignore", stderr: "pipe" },
          env: { ...team.space.env, ...Object.fromEntries(placed), ...database },
        })
      }
      const running = [start(worker!), start(node!, "--port", `${port}`)]
      try {
        team.url = `http://127.0.0.1:${port}`
        const answer = async () =>
          (await team.ask(token, "/v1/search", { query: "retry" }).catch(() => null))?.answer
        while ((await answer())?.results?.[0]?.path !== "retry.py") await Bun.sleep(100)
      } finally {
        for (const each of running) each.kill("SIGTERM")
      }
      for (const each of running) {
        const lines = (await each.stderr.text()).trim().split("\n")
        expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level !== "info")).toEqual([])
        expect(await each.exited).toBe(143)
      }
    },
    60_000,
  )
})

function variables(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(lines.map((line) => [line.split("=")[0]!, line.slice(line.indexOf("=") + 1)]))
}

/** The settings that the example has switched on. */
function exampleSettings(): string[] {
  return textOf("team.env.example").match(/^[A-Z_]+=.*$/gm)!
}

function imageVariables(): Record<string, string> {
  return variables(/^ENV (.+)$/m.exec(textOf("Dockerfile"))![1]!.split(" "))
}

/** Compose's variables, of which only those with a default are set. */
function withDefaults(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+(?::-(.*?))?\}/g, "$1")]),
  )
}
