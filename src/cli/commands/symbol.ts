import { stateOf } from "../../app/index/index-share.ts"
import {
  type Relation,
  type SymbolAnswer,
  type SymbolRequest,
  unseenNotes,
} from "../../app/symbols/symbol-answer.ts"
import { AmanError } from "../../base/errors.ts"
import { type Command, EXIT, type Flag, type FlagValues, type Input } from "../command.ts"
import { asFilters } from "../flags/project-paths.ts"
import { numberFlag } from "../flags/values.ts"
import { renderSymbol } from "../render/render-symbol.ts"
import { INDEX_FLAGS, remarkNotices, withProject } from "../with-project.ts"

const MOST = 10_000
const DEFAULT_LIMIT = 50
const MAX_DEPTH = 5

const FLAGS: readonly Flag[] = [
  { name: "references", help: "Every place that uses it" },
  { name: "callers", help: "What calls it; with --depth what calls that, too" },
  { name: "callees", help: "What it calls; with --depth what that calls, too" },
  { name: "implementations", help: "What extends or implements it" },
  { name: "impact", help: "What may break if it changes, and which tests reach it" },
  {
    name: "diff",
    help: "The impact of all that has changed since a commit, or between two (main..HEAD), given instead of NAME (default: HEAD)",
  },
  { name: "outline", help: "What a file defines, given instead of NAME" },
  { name: "unused", help: "Functions and types whose names nothing uses, as candidates" },
  { name: "central", help: "What the project turns about, by PageRank, without a NAME" },
  {
    name: "path",
    value: "PATH",
    help: "Only what is defined in this file, folder or glob, counted from the root; ./ and ../ from here",
  },
  { name: "depth", value: "N", help: `Steps along calls, up to ${MAX_DEPTH} (default: 1)` },
  { name: "limit", short: "n", value: "N", help: `At most so many places (default: ${DEFAULT_LIMIT})` },
  { name: "offset", value: "N", help: "Leave out the first so many" },
]

const RELATIONS: readonly Exclude<Relation, "definition">[] = [
  "references",
  "callers",
  "callees",
  "implementations",
  "impact",
  "outline",
  "unused",
  "central",
]

export const symbolCommand: Command = {
  usage: "[flags] NAME",
  details: `Where a symbol is defined, with its signature and documentation. NAME is a name or Owner.name; in another case
or with other underscores it is found as well. What a use means is told by scope, then by imports, then by the files
around, each with its confidence; uses that nothing ties to a definition are listed apart. Of more than 20 definitions
of a name only the uses of the 20 most central are looked for. Several steps (--depth, --impact) end after 500 of them or
10 seconds, and then it says which are complete. Exits with 3 where nothing is called NAME, with 1 where it is defined and
what was asked for is not there.`,
  flags: [...FLAGS, ...INDEX_FLAGS],
  examples: [
    { line: "aman symbol parseConfig", note: "its definition, signature and documentation" },
    { line: "aman symbol Store.open --callers --depth 3", note: "what calls it, over three steps" },
    { line: "aman symbol --outline src/main.ts", note: "what a file defines" },
    { line: "aman symbol Config --impact", note: "what may break, and the tests that reach it" },
    { line: "aman symbol --impact --diff main..HEAD", note: "the same of all that a branch changed" },
    { line: "aman symbol --central -n 20", note: "what the project turns about" },
    { line: "aman symbol --unused --path src", note: "candidates for removal" },
  ],
  async run(input) {
    const request = toRequest(input)
    const { symbolOf } = await import("../../app/symbols/symbol-project.ts")
    const answer = await withProject(input, (project) =>
      symbolOf(
        project,
        { ...request, path: request.path && asFilters(project, [request.path])[0]! },
        { refresh: true, signal: input.signal, isPatient: true },
      ),
    )
    if (input.flags.has("json")) await input.output.json(answer)
    else {
      await input.output.write(renderSymbol(answer, input.output.colors))
      remarkNotices(input, notesOf(answer))
    }
    return isEmpty(answer) ? EXIT.nothingFound : EXIT.ok
  },
}

function toRequest({ words, flags }: Input): SymbolRequest {
  const relation = relationOf(flags)
  const [word, ...others] = words
  if (others.length > 0)
    throw new AmanError("USAGE", "symbol takes one name", { hint: "for example: aman symbol parseConfig" })
  const isDiff = flags.has("diff")
  const takesNoName = isDiff || relation === "unused" || relation === "central" || relation === "outline"
  return {
    relation,
    ...(takesNoName ? {} : { name: word }),
    ...(isDiff ? { diff: word ?? "HEAD" } : {}),
    path: relation === "outline" ? (word ?? flags.text("path")) : flags.text("path"),
    depth: numberFlag(flags, "depth", 1, MAX_DEPTH) ?? 1,
    limit: numberFlag(flags, "limit", 1, MOST) ?? DEFAULT_LIMIT,
    offset: numberFlag(flags, "offset", 0, 1_000_000) ?? 0,
  }
}

function relationOf(flags: FlagValues): Relation {
  const given = RELATIONS.filter((name) => flags.has(name))
  if (given.length > 1)
    throw new AmanError("USAGE", `--${given[0]} and --${given[1]} are two questions`, {
      hint: "ask one after the other",
    })
  if (!flags.has("diff")) return given[0] ?? "definition"
  if (given[0] !== undefined && given[0] !== "impact")
    throw new AmanError("USAGE", `--diff has no meaning with --${given[0]}`, {
      hint: "--diff tells the impact",
    })
  return "impact"
}

/** True if nothing was found. Unresolved uses count as found, because they may be callers. */
function isEmpty({ relation, definitions, total, tests, unresolved }: SymbolAnswer): boolean {
  if (relation === "definition") return definitions.length === 0
  return total === 0 && tests.length === 0 && unresolved.total === 0
}

function notesOf(answer: SymbolAnswer): string[] {
  const { notices, next_offset, total, unseen_files, partial } = answer
  return [
    ...notices,
    ...(next_offset === null
      ? []
      : [`of ${total}${unseen_files > 0 ? " so far" : ""}; go on with --offset ${next_offset}`]),
    ...unseenNotes(answer),
    ...(partial === null ? [] : [`the index is ${stateOf(partial)}: there may be more`]),
  ]
}
