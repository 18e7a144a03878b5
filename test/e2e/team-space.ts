import { GitBox } from "../git-repository.ts"
import { Postgres } from "../postgres.ts"
import { binary, Workspace } from "./harness.ts"

// biome-ignore lint/suspicious/noExplicitAny: tests look at the parts they name
export type Answer = any

type Files = Readonly<Record<string, string>>

/** A team of its own: a database, repositories, a machine with the binary, and a query node. */
export class TeamSpace implements AsyncDisposable {
  readonly postgres: Postgres
  readonly box = new GitBox()
  readonly space = new Workspace()
  /** Variables of administrators, workers and nodes. */
  readonly env: Record<string, string>
  /** Address of the node that `serve` started last. */
  url = ""
  readonly #nodes: Bun.Subprocess[] = []

  private constructor(postgres: Postgres) {
    this.postgres = postgres
    this.env = { AMAN_TEAM_DATABASE: postgres.url, GIT_CONFIG_NOSYSTEM: "1" }
  }

  static async start(): Promise<TeamSpace> {
    return new TeamSpace(await Postgres.start())
  }

  /** Creates repositories, indexes them, and lets a team of the same name read each; returns their names. */
  async add<Name extends string>(repositories: Readonly<Record<Name, Files>>): Promise<Record<Name, string>> {
    const names = {} as Record<Name, string>
    for (const [name, files] of Object.entries(repositories) as [Name, Files][]) {
      names[name] = this.box.repository(name, files)
      await this.admin("add", names[name])
      await this.admin("grant", name, names[name])
    }
    const { code, stderr } = await this.space.run(["team", "worker", "--once", "--quiet"], { env: this.env })
    if (code !== 0) throw new Error(stderr)
    return names
  }

  /** Runs `aman team …` as an administrator. */
  admin(...args: readonly string[]): Promise<Answer> {
    return this.space.json(["team", ...args], { env: this.env })
  }

  async token(person: string, ...teams: readonly string[]): Promise<string> {
    return (await this.admin("token", person, ...teams.flatMap((team) => ["--team", team]))).token
  }

  /** Starts a query node and waits until it listens. */
  async serve(
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    program = binary,
  ): Promise<Node> {
    const node = Bun.spawn([program, "team", "serve", "--port", "0", "--json", ...args], {
      cwd: this.space.project,
      env: { ...this.space.env, ...this.env, ...env },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
    this.#nodes.push(node)
    const { value } = await node.stdout.getReader().read()
    const listening = JSON.parse(Buffer.from(value!).toString())
    this.url = listening.url
    return { process: node, ...listening }
  }

  /** Sends a JSON request to the node. */
  async ask(token: string, path: string, body?: unknown): Promise<{ status: number; answer: Answer }> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const response = await fetch(`${this.url}${path}`, {
      ...{ method: body === undefined ? "GET" : "POST", headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, answer: (await response.json()) as Answer }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.#nodes) node.kill("SIGKILL")
    await Promise.all(this.#nodes.map((node) => node.exited))
    this.space[Symbol.dispose]()
    this.box[Symbol.dispose]()
    await this.postgres[Symbol.asyncDispose]()
  }
}

export type Node = {
  readonly process: Bun.Subprocess<"ignore", "pipe", "pipe">
  readonly url: string
}
