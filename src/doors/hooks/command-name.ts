/**
 * Name of the first build or test in a command line, such as "cargo test", used to match a failure with a
 * later success; null if there is none.
 */
export function firstCheckName(command: string): string | null {
  for (const part of command.slice(0, 4000).split(/&&|\|\||[;|\n]/)) {
    const words = withoutWrappers(part.replace(/^[\s(]+|[\s)]+$/g, "").split(/\s+/))
    const name = commandNameOf(words)
    if (name !== null) return name
  }
  return null
}

/** Programs that run another command, with the number of their own arguments before it. */
const WRAPPERS: Readonly<Record<string, number>> = {
  ...{ time: 0, sudo: 0, npx: 0, bunx: 0, nice: 0, env: 0, command: 0, exec: 0, do: 0 },
  timeout: 1,
}
const RUNNERS = /^(?:pnpm|yarn|poetry|uv|pipenv|bundle|rye|pdm|hatch|dotenvx) (?:exec|run|dlx) /

function withoutWrappers(words: readonly string[]): string[] {
  let rest = [...words]
  for (;;) {
    const [first = ""] = rest
    const argumentCount = Object.hasOwn(WRAPPERS, first) ? WRAPPERS[first] : undefined
    if (/^[A-Za-z_]\w*=/.test(first)) rest = rest.slice(1)
    else if (argumentCount !== undefined) rest = rest.slice(1 + argumentCount)
    else if (RUNNERS.test(`${rest.join(" ")} `) && !isScript(rest[2] ?? "")) rest = rest.slice(2)
    else return rest
  }
}

/** Programs whose second word names the action, with the actions that count as a build or a test. */
const WITH_VERB: Readonly<Record<string, RegExp>> = {
  cargo: /^(?:build|test|check|clippy|nextest|b|t|c)$/,
  go: /^(?:build|test|vet)$/,
  dotnet: /^(?:build|test)$/,
  swift: /^(?:build|test)$/,
  zig: /^(?:build|test)$/,
  mix: /^(?:test|compile)$/,
  deno: /^(?:test|check)$/,
  stack: /^(?:build|test)$/,
  cabal: /^(?:build|test)$/,
  flutter: /^(?:build|test|analyze)$/,
  dart: /^(?:test|analyze)$/,
  bazel: /^(?:build|test)$/,
  composer: /^(?:test)$/,
  rails: /^(?:test)$/,
  playwright: /^(?:test)$/,
  cypress: /^(?:run)$/,
  cmake: /^--build$/,
}
/** Programs whose calls count as a build or a test, whatever their arguments. */
const ALONE = new Set(
  (
    "make just task ninja gradle gradlew mvn mvnw sbt ant xcodebuild swiftc rustc tsc vue-tsc pytest tox nox jest " +
    "vitest mocha ava rspec rake phpunit pest ctest eslint biome ruff mypy pyright golangci-lint javac gcc g++ " +
    "clang clang++ meson busted bats"
  ).split(" "),
)
/** Programs that run the scripts of a package.json. */
const SCRIPTED: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"])

function commandNameOf(words: readonly string[]): string | null {
  const program = (words[0] ?? "").replace(/^.*[/\\]/, "")
  const others = words.slice(1).filter((word) => !word.startsWith("-") || word === "--build")
  const [verb = ""] = others
  if (SCRIPTED.has(program)) return scriptName(program, verb === "run" ? (others[1] ?? "") : verb)
  const verbs = Object.hasOwn(WITH_VERB, program) ? WITH_VERB[program] : undefined
  if (verbs !== undefined) return verbs.test(verb) ? `${program} ${verb}` : null
  if (/^python[\d.]*$/.test(program)) return moduleName(words)
  if (!ALONE.has(program)) return null
  return TARGETED.has(program) && /^[a-z][\w:-]{0,30}$/.test(verb) ? `${program} ${verb}` : program
}

function scriptName(program: string, script: string): string | null {
  return isScript(script) ? `${program} ${script}` : null
}

/** The module of `python -m MODULE`, such as pytest. */
function moduleName(words: readonly string[]): string | null {
  const at = words.indexOf("-m")
  const module = at < 0 ? "" : (words[at + 1] ?? "")
  return /^(?:pytest|unittest|mypy)$/.test(module) ? module : null
}

/** Build programs whose first operand is the name of a target. */
const TARGETED: ReadonlySet<string> = new Set(
  "make just task ninja gradle gradlew mvn mvnw sbt ant rake".split(" "),
)

function isScript(name: string): boolean {
  return /^(?:t|test|tests|tst|build|check|lint|types?|type-?check|tsc|compile|e2e|ci|verify|unit|spec)(?:[:_-][\w:-]{1,40})?$/.test(
    name,
  )
}
