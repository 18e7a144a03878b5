import { type AddedGrammar, type ListedGrammars, loadGrammarPacks } from "../../../parse/index.ts"
import { type Command, EXIT, type Input } from "../command.ts"
import { subcommand } from "../flags.ts"
import { printableLine } from "../text.ts"

export const grammarsCommand: Command = {
  usage: "[VERB] [flags] [FOLDER | ID]",
  details: `Adds tree-sitter grammars for further languages. The folder contains grammar.json, the .wasm
file and definitions.scm; docs/grammars.md describes them. They are checked and copied to your data folder, and are
used in all of your projects: the next index or search reads the files of that language again. A project cannot bring a
grammar.`,
  verbs: [
    ["list", "The grammars that you have added (default)"],
    ["add FOLDER", "Check a grammar and add it, or replace it"],
    ["remove ID", "Remove it; its files are then read as before"],
  ],
  flags: [],
  examples: [
    { line: "aman grammars add ./talon", note: "a folder with grammar.json, talon.wasm, definitions.scm" },
    { line: "aman grammars", note: "what has been added" },
    { line: "aman grammars remove talon", note: "its files are read as text again" },
    {
      line: "aman grammars list --json",
      note: '{"folder","grammars":[{"id","extensions","version",…}],"damaged"}',
    },
  ],
  async run(input) {
    const { name, words } = subcommand(
      input,
      { list: 0, add: 1, remove: 1 },
      "list",
      grammarsCommand.examples,
    )
    const { addGrammar, listGrammars, removeGrammar } = await loadGrammarPacks()
    const { resolve } = await import("node:path")
    if (name === "list") return printGrammars(input, listGrammars())
    if (name === "add") return printAdded(input, await addGrammar(resolve(input.cwd, words[0]!)))
    const removed = removeGrammar(words[0]!)
    if (input.flags.has("json")) await input.output.json({ removed })
    else if (!input.flags.has("quiet"))
      await input.output.write(`removed ${printableLine(removed.id)}; the next index reads its files again\n`)
    return EXIT.ok
  },
}

async function printAdded({ flags, output }: Input, grammar: AddedGrammar): Promise<number> {
  if (flags.has("json")) await output.json({ added: grammar })
  else if (!flags.has("quiet")) {
    const { id, abi, replaced, examples } = grammar
    const tried = examples.map(
      ({ name, definitions, errors }) =>
        `  ${printableLine(name)}: ${definitions === 1 ? "1 definition" : `${definitions} definitions`}, ${Math.round(errors * 100)} % in errors\n`,
    )
    const head = `${replaced ? "replaced" : "added"} ${printableLine(id)} (ABI ${abi}); the next index or search uses it\n`
    await output.write(head + tried.join(""))
  }
  return EXIT.ok
}

async function printGrammars({ flags, output }: Input, listed: ListedGrammars): Promise<number> {
  const { grammars, damaged } = listed
  if (flags.has("json")) await output.json(listed)
  else if (grammars.length + damaged.length === 0) await output.write("no grammar has been added\n")
  else {
    const names = ({ extensions, files, interpreters }: (typeof grammars)[number]) =>
      [...extensions.map((extension) => `*.${extension}`), ...files, ...interpreters].join(" ")
    const lines = grammars.map((each) => `${each.id}  ${names(each)}  ABI ${each.abi}`)
    const unusable = damaged.map(
      ({ id, reason }) => `${id}  ${output.colors.yellow(`not usable: ${reason}`)}`,
    )
    await output.write([...lines, ...unusable].map((line) => `${printableLine(line)}\n`).join(""))
  }
  return EXIT.ok
}
