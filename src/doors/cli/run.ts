import { AmanError, nearest } from "../../base/index.ts"
import { type Command, type Definition, EXIT, type Input } from "./command.ts"
import { addTeamCommand, COMMANDS } from "./commands.ts"
import { COMMON_FLAGS, parseFlags } from "./flags.ts"
import { type CommandOutput, reportFailure, standardOutput } from "./output.ts"

type CommandEnvironment = Omit<Input, "words" | "flags" | "definitions">
/** The MCP server, the hooks and the team's package, passed in by main.ts. */
type ServerAndHooks = Pick<Input, "serve" | "serveUi" | "mapPage" | "tryHooks"> & {
  readonly team: () => Promise<Command>
}

/** Runs one command and returns its exit code. */
export async function run(
  argv: readonly string[],
  signal: AbortSignal,
  { team, ...doors }: ServerAndHooks,
): Promise<number> {
  addTeamCommand(team)
  const output = standardOutput()
  try {
    return await dispatch(argv, { output, signal, ...doors, cwd: process.cwd() })
  } catch (error) {
    if (signal.aborted) return Number(signal.reason)
    const typed = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : undefined)
    const options = { json: typed.includes("--json"), verbose: typed.includes("--verbose") }
    return await reportFailure(error, options, output)
  }
}

async function dispatch(argv: readonly string[], surroundings: CommandEnvironment): Promise<number> {
  const { output, signal } = surroundings
  const [name, ...rest] = argv
  if (name === undefined || name === "--help" || name === "-h") return showHelp(undefined, undefined, output)
  if (name === "help" && (await namesHelp(rest))) return showHelp(rest[0], rest[1], output)
  const command = await load(name, rest)
  const { words, flags } = parseFlags(rest, [...command.flags, ...COMMON_FLAGS], command.refusals)
  if (flags.has("help")) return showHelp(name, words[0], output)
  const code = await command.run({ ...surroundings, words, flags, definitions: loadDefinitions })
  return signal.aborted ? Number(signal.reason) : code
}

async function load(name: string, rest: readonly string[]): Promise<Command> {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (entry) return entry.load()
  if (name.startsWith("-"))
    throw new AmanError("USAGE", `no command before ${name}`, { hint: "for example: aman search QUERY" })
  const { meantByWord } = await import("./commands/memory.ts")
  const { flags } = await COMMANDS["symbol"]!.load()
  const relation = flags.some((flag) => flag.name === name) ? `symbol NAME --${name}` : undefined
  const meant = meantByWord(name) ?? relation ?? nearest(name, Object.keys(COMMANDS))
  const hint = meant ? `did you mean aman ${meant}?` : `to search: aman search ${[name, ...rest].join(" ")}`
  throw new AmanError("USAGE", `unknown command ${JSON.stringify(name)}`, { hint })
}

async function loadDefinitions(): Promise<readonly Definition[]> {
  const { allDefinitions } = await import("./help.ts")
  return allDefinitions()
}

/** True if the words after `aman help` are none, --all, a command, or a command and one of its verbs. */
async function namesHelp([name, verb, ...further]: readonly string[]): Promise<boolean> {
  if (name === undefined || name === "--all") return true
  if (!Object.hasOwn(COMMANDS, name) || further.length > 0) return false
  if (verb === undefined) return true
  const { verbs = [] } = await load(name, [])
  return verbs.some(([form]) => form.split(" ", 1)[0] === verb)
}

/** Prints the help of a verb of a command, of the command, or, without a name, of the program. */
async function showHelp(
  name: string | undefined,
  verb: string | undefined,
  output: CommandOutput,
): Promise<number> {
  const { commandHelp, helpOverview, verbHelp } = await import("./help.ts")
  if (name === undefined || name === "--all") await output.write(helpOverview(output, name !== undefined))
  else {
    const command = await load(name, [])
    await output.write(verbHelp(name, verb, command, output) ?? commandHelp(name, command, output))
  }
  return EXIT.ok
}
