/*
 * The programs that run tests, by language: which file of a project shows each, and its arguments for chosen tests. Commands
 * are printed and never executed.
 */

import { posix } from "node:path"

export type TestRunner = {
  readonly family: string
  /** The command runs in the nearest folder, from the test's up, that has one of these files. */
  readonly manifests: readonly string[]
  /** Matches the test's file or a manifest in that folder; absent if the manifest is enough. */
  readonly sign?: RegExp
  readonly run: (tests: readonly TestToRun[]) => readonly string[]
  /** One command runs only tests for which this is equal; absent if it runs all tests of the folder. */
  readonly apart?: (test: TestToRun) => string
}

export type TestToRun = {
  /** Relative to the folder in which the command runs. */
  readonly path: string
  readonly text: string
  readonly package: string | null
  /** Names of the types around the test and its own; empty for a whole file and for a test with titles. */
  readonly names: readonly string[]
  /** Titles of the groups around a test that is a call with a title, and its own; empty for a function. */
  readonly titles: readonly string[]
  readonly line: number
  /** True for all tests of a file, a type or a group. */
  readonly isGroup: boolean
}

const PACKAGE = ["package.json"]
const REQUIREMENTS = ["requirements.txt", "requirements-dev.txt"]
const PYTHON = ["pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py", ...REQUIREMENTS]
const SOURCES = /(?:^|\/)src\//

export const TEST_RUNNERS: readonly TestRunner[] = [
  titled("js", PACKAGE, /\bvitest\b/, ["npx", "vitest", "run"], "--testNamePattern="),
  titled("js", PACKAGE, /["']bun:test["']|\bbun test\b/, ["bun", "test"], "--test-name-pattern="),
  titled(
    "js",
    PACKAGE,
    /\bjest\b|react-scripts test/,
    ["npx", "jest", "--runTestsByPath"],
    "--testNamePattern=",
  ),
  titled("js", PACKAGE, /["']node:test["']|\bnode [^"]*--test\b/, ["node", "--test"], "--test-name-pattern="),
  titled("js", PACKAGE, /\bmocha\b/, ["npx", "mocha"], "--grep="),
  titled("js", PACKAGE, /@playwright\/test/, ["npx", "playwright", "test"], "--grep="),
  {
    ...{ family: "python", manifests: ["manage.py"], sign: /\bdjango\.test\b/ },
    run: (tests) => ["python", "manage.py", "test", ...tests.map(dottedName)],
  },
  {
    ...{ family: "python", manifests: PYTHON, sign: /\bpytest\b/ },
    run: (tests) => ["pytest", ...tests.map((test) => [filePath(test), ...test.names].join("::"))],
  },
  {
    ...{ family: "python", manifests: PYTHON, sign: /\bimport unittest\b|\bfrom unittest\b/ },
    run: (tests) => ["python", "-m", "unittest", ...tests.map(dottedName)],
  },
  {
    ...{ family: "go", manifests: ["go.mod"] },
    run: (tests) => {
      const packages = unique(
        tests.map(({ path }) => [".", posix.dirname(path)].join("/").replace(/\/\.$/, "/")),
      )
      // The methods of a suite of testify are chosen by a flag of their own.
      const flag = tests[0]!.names.length < 2 ? "-run" : "-testify.m"
      return ["go", "test", ...packages, ...(tests.some(isWhole) ? [] : [flag, `^${oneOf(namesOf(tests))}$`])]
    },
    apart: ({ names }) => `${names.length < 2}`,
  },
  {
    ...{ family: "rust", manifests: ["Cargo.toml"] },
    run: (tests) => {
      // Each case of a table is a test of its own, below the name of the function.
      const isTable = tests.some(({ text }) => /\b(?:rstest|test_case)\b/.test(text))
      const names = ["--", ...(isTable ? [] : ["--exact"]), ...unique(tests.map(rustName))]
      return ["cargo", "test", ...(tests.some(isWhole) ? [] : names)]
    },
  },
  {
    ...{ family: "jvm", manifests: ["pom.xml"] },
    run: (tests) => {
      const byClass = Map.groupBy(tests, (test) => classOf(test))
      const classes = Array.from(byClass, ([type, same]) =>
        same.some(isWhole) ? type : `${type}#${namesOf(same).join("+")}`,
      )
      return ["mvn", "test", `-Dtest=${classes.join(",")}`]
    },
  },
  gradle(["gradlew", "settings.gradle", "settings.gradle.kts"], "./gradlew"),
  gradle(["build.gradle", "build.gradle.kts"], "gradle"),
  {
    ...{
      family: "ruby",
      manifests: ["Gemfile", ".rspec", "Rakefile"],
      sign: /\bRSpec\b|^\s*(?:describe|it) /m,
    },
    run: (tests) => ["bundle", "exec", "rspec", ...tests.map(place)],
  },
  {
    ...{ family: "ruby", manifests: ["bin/rails"] },
    run: (tests) => ["bin/rails", "test", ...tests.map(place)],
  },
  {
    ...{ family: "ruby", manifests: ["Gemfile", "Rakefile"] },
    run: (tests) => [
      ...["bundle", "exec", "ruby", "-Itest", filePath(tests[0]!)],
      ...(tests.some(isWhole) ? [] : ["-n", `/^${oneOf(namesOf(tests))}$/`]),
    ],
    apart: ({ path }) => path,
  },
  titled("php", ["composer.json"], /\bpest\b|^(?:it|test)\(/m, ["vendor/bin/pest"], "--filter="),
  {
    ...{ family: "php", manifests: ["composer.json", "phpunit.xml", "phpunit.xml.dist"], sign: /phpunit/i },
    run: (tests) => [
      "vendor/bin/phpunit",
      `--filter=/${oneOf(tests.map((test) => `\\b${memberName(test, "::", 1)}\\b`))}/`,
    ],
  },
  {
    ...{ family: "csharp", manifests: ["*.csproj"] },
    run: (tests) => [
      ...["dotnet", "test", "--filter"],
      tests.map((test) => `FullyQualifiedName~${memberName(test, ".", 1)}`).join("|"),
    ],
  },
  {
    ...{ family: "swift", manifests: ["Package.swift"] },
    run: (tests) => ["swift", "test", "--filter", `${oneOf(tests.map((test) => memberName(test, "/", 1)))}$`],
  },
  { ...{ family: "elixir", manifests: ["mix.exs"] }, run: (tests) => ["mix", "test", ...tests.map(place)] },
  titled("dart", ["pubspec.yaml"], /\bflutter(?:_test)?\b/, ["flutter", "test"], "--name="),
  titled("dart", ["pubspec.yaml"], /(?:)/, ["dart", "test"], "--name="),
]

/** A runner that chooses files, and in them tests by a pattern for the titles of groups and test, with spaces between. */
function titled(
  family: string,
  manifests: readonly string[],
  sign: RegExp,
  program: readonly string[],
  flag: string,
): TestRunner {
  const run = (tests: readonly TestToRun[]) => {
    const pattern = tests.some(({ titles }) => titles.length === 0)
      ? []
      : [flag + unique(tests.map(titlePattern)).join("|")]
    // node takes no options after the files.
    return [...program, ...pattern, ...unique(tests.map(filePath))]
  }
  return { family, manifests, sign, run }
}

function gradle(manifests: readonly string[], program: string): TestRunner {
  const run = (tests: readonly TestToRun[]) => {
    const folders = moduleOf(tests[0]!).split("/").filter(Boolean)
    const task = [...(folders.length === 0 ? [] : [""]), ...folders, "test"].join(":")
    return [program, task, ...tests.flatMap((test) => ["--tests", memberName(test, ".")])]
  }
  return { family: "jvm", manifests, run, apart: moduleOf }
}

/** A placeholder in a title: of a table of cases, or of a template. */
const PLACEHOLDER = /%[sdifjop#%]|\\?\$\{[^}]*\}|\\?\$[\w.]+|#\{[^}]*\}/

function titlePattern({ titles, isGroup }: TestToRun): string {
  return `${titles.join(" ").split(PLACEHOLDER).map(escaped).join(".*")}${isGroup ? "" : "$"}`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
}

function oneOf(all: readonly string[]): string {
  const [first, ...others] = unique(all)
  return others.length === 0 ? first! : `(${[first, ...others].join("|")})`
}

function unique(all: readonly string[]): string[] {
  return [...new Set(all)]
}

function namesOf(tests: readonly TestToRun[]): string[] {
  return unique(tests.map(({ names }) => names.at(-1)!))
}

/** True for a whole file or type. */
function isWhole({ isGroup, names, titles }: TestToRun): boolean {
  return isGroup && (names.length > 0 || titles.length === 0)
}

/** The names of a test; for a whole file, that of the type after which it is named. */
function typeParts({ names, path }: TestToRun): readonly string[] {
  return names.length > 0 ? names : [posix.parse(path).name]
}

/** The name of a test after those of the types around it, at most `owners` of them, and in Java and Kotlin the package. */
function memberName(test: TestToRun, separator: string, owners?: number): string {
  const parts = typeParts(test)
  const home = owners === undefined ? test.package : null
  return [...(home === null ? [] : [home]), ...parts.slice(-1 - (owners ?? parts.length))].join(separator)
}

function classOf(test: TestToRun): string {
  return (isWhole(test) ? typeParts(test) : test.names.slice(0, -1)).join("$")
}

/** The folder of a module of Gradle: what is before `src`. */
function moduleOf({ path }: TestToRun): string {
  return SOURCES.test(path) ? path.split(SOURCES)[0]! : ""
}

function dottedName(test: TestToRun): string {
  return [...test.path.replace(/\.py$/, "").split("/"), ...test.names].join(".")
}

/** The path of a test in its crate's modules: `cart::tests::totals` in src/cart.rs. */
function rustName(test: TestToRun): string {
  const modules = test.path
    .replace(/\.rs$/, "")
    .replace(/^tests\/[^/]+/, "")
    .split("/")
    .filter((part) => !/^(?:|src|lib|main|mod|bin)$/.test(part))
  return [...modules, ...test.names].join("::")
}

function place(test: TestToRun): string {
  return isWhole(test) ? filePath(test) : `${filePath(test)}:${test.line}`
}

/** The path, which must not look like an option. */
function filePath({ path }: TestToRun): string {
  return path.replace(/^-/, "./-")
}
