/** What the calls of one project ask about: names, questions and paths that exist in it. */
export type Subject = {
  readonly names: readonly string[]
  readonly questions: readonly string[]
  readonly paths: readonly string[]
  readonly folder: string
}

/** One request at one door; `title` names it in the golden files. */
export type Call =
  | { readonly door: "cli"; readonly title: string; readonly args: readonly string[] }
  | { readonly door: "mcp"; readonly title: string; readonly tool: string; readonly args: object }

const RELATIONS = ["references", "callers", "callees", "implementations", "impact"]

/**
 * Every verb that reads, at both doors. The memories come first, because later answers show them. JSON is asked for
 * once a verb, because it has the same data. `isCodeOnly`: without those whose answers do not depend on the code.
 */
export function callsAbout(subject: Subject, isCodeOnly = false): Call[] {
  const others = isCodeOnly ? [] : [...memoryReads(subject), ...projectCalls()]
  return [...memoryWrites(subject), ...codeCalls(subject), ...others]
}

function memoryWrites({ paths, names }: Subject): Call[] {
  const place = paths[0]!
  return [
    cli("remember", `${names[0]} is kept small on purpose`, "--topic", "design", "--source", place),
    cli("remember", "Releases are cut on Tuesdays", "--topic", "release", "--key", "release:day"),
    cli("remember", "Releases are cut on Thursdays now", "--topic", "release"),
    mcp("remember", { text: `Ask before changing ${names[1]}`, topic: "design", source: `${paths[1]}:1` }),
    mcp("remember", { text: "The timeout of the gateway is 30 seconds", topic: "limits" }),
  ]
}

function codeCalls({ names, questions, paths, folder }: Subject): Call[] {
  const asked = [...questions, ...names]
  return [
    cli("search", "--json", asked[0]!),
    ...asked.flatMap((query) => [cli("search", query), mcp("search", { query, limit: 5 })]),
    ...both(["context", "--max-tokens", "1500", "--", questions[0]!]),
    ...both(["search", "--path", folder, questions[0]!]),
    ...both(["search", "--content", "code", "--limit", "3", questions[0]!]),
    ...both(["search", "--explain", questions[0]!]),
    cli("search", "--why-not", paths[0]!, questions[0]!),
    ...both(["search", "--like", `${paths[0]}:1`]),
    mcp("search", { query: names[0], mode: "exact" }),
    mcp("search", { query: `${names[0]!.slice(0, 4)}\\w+`, mode: "regex" }),
    cli("grep", "-n", names[0]!),
    cli("grep", "-c", "-i", names[1]!),
    ...["", ...RELATIONS].flatMap((relation) => {
      const flags = relation === "" ? [] : [`--${relation}`]
      return [
        cli("symbol", "--json", names[0]!, ...flags),
        ...names.flatMap((name) => [
          ...(name === names[0] ? [cli("symbol", name, ...flags)] : []),
          mcp("symbol", relation === "" ? { name } : { name, relation }),
        ]),
      ]
    }),
    ...both(["symbol", "noSuchName"]),
    ...both(["symbol", "--central", "-n", "10"]),
    ...both(["symbol", "--unused"]),
    cli("symbol", names[0]!, "--mermaid"),
    ...paths.flatMap((path) => [
      cli("symbol", "--outline", path),
      cli("read", `${path}:1-10`),
      mcp("read", { path, start_line: 1, end_line: 10 }),
      cli("log", path),
      mcp("log", { what: path }),
    ]),
    ...both(["map"]),
  ]
}

function memoryReads({ paths }: Subject): Call[] {
  return [
    ...both(["recall", "when are releases cut"]),
    ...both(["recall", "--explain", "gateway timeout"]),
    mcp("recall", { query: "when are releases cut" }),
    mcp("recall", { query: paths[0]!, detail: "brief" }),
    ...["list", "topics", "tags", "stats", "digest", "conflicts", "stale", "recent", "entities"].flatMap(
      (verb) => [...both(["memory", verb]), mcp("manage", { tool: "knowledge", action: verb })],
    ),
  ]
}

function projectCalls(): Call[] {
  return [
    cli("repos"),
    mcp("manage", { tool: "projects" }),
    mcp("manage", { tool: "repositories", action: "list" }),
  ]
}

function both(args: readonly [string, ...string[]]): Call[] {
  const [command, ...rest] = args
  return [cli(...args), cli(command, "--json", ...rest)]
}

function cli(...args: readonly string[]): Call {
  return { door: "cli", title: `aman ${args.map(quoted).join(" ")}`, args }
}

function mcp(tool: string, args: object): Call {
  return { door: "mcp", title: `${tool} ${JSON.stringify(args)}`, tool, args }
}

function quoted(arg: string): string {
  return /^[\w./:@%+=-]+$/u.test(arg) ? arg : `'${arg}'`
}
