import { type GuideSection, searchGuides } from "../../app/help/guides.ts"
import { AmanError } from "../../base/errors.ts"
import { nearest } from "../../base/nearest.ts"
import { type Command, EXIT } from "../command.ts"
import { numberFlag } from "../flags/flags.ts"
import type { CommandOutput } from "../output.ts"
import { wrap } from "../render/printable.ts"

const DEFAULT_LIMIT = 5

export const helpCommand: Command = {
  usage: "[COMMAND [VERB] | WORDS...]",
  details: `Prints the help of a command, or the section of aman's guides, commands and settings that fits the words
best, and names the next ones. Everything is in this program; nothing is looked up elsewhere.`,
  flags: [{ name: "limit", short: "n", value: "N", help: `At most N sections (default: ${DEFAULT_LIMIT})` }],
  examples: [
    { line: "aman help leave out a folder", note: "a question" },
    { line: "aman help memory export", note: "the help of a command's verb" },
    { line: "aman help --json -n 10 proxy", note: '{"query","results":[{"place","title","text"},…]}' },
  ],
  async run({ words, flags, output, definitions }) {
    const query = words.join(" ")
    const limit = numberFlag(flags, "limit", 1, 100) ?? DEFAULT_LIMIT
    const sections = await searchGuides(query, limit, definitions)
    if (sections.length === 0) {
      const near = nearest(
        query,
        (await definitions()).map(({ name }) => name),
      )
      const hint = near === undefined ? "aman --help lists all commands" : `did you mean aman ${near}?`
      throw new AmanError("NOT_FOUND", `the guides have nothing about ${JSON.stringify(query)}`, { hint })
    }
    if (flags.has("json")) await output.json({ query, results: sections })
    else await output.write(rendered(sections, output))
    return EXIT.ok
  },
}

function rendered([best, ...others]: readonly GuideSection[], { columns, colors: c }: CommandOutput): string {
  const first = `${c.bold(best!.title)}\n${c.dim(best!.place)}\n\n${best!.text}\n`
  if (others.length === 0) return first
  const rows = others.map(({ title, place }) => `  ${wrap(`${title} ${c.dim(`(${place})`)}`, columns, 4)}`)
  return `${first}\n${c.bold("See also")}\n${rows.join("\n")}\n`
}
