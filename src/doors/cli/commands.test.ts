import { expect, test } from "bun:test"
import { teamCommand } from "../../../packages/team/team-command.ts"
import { addTeamCommand, COMMANDS, PARSING } from "./commands.ts"
import { INDEX_FLAGS } from "./with-project.ts"

addTeamCommand(async () => teamCommand)

test("every command that may write an index is compiled for parsing", async () => {
  const writing: string[] = []
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const { flags } = await load()
    if (INDEX_FLAGS.every((flag) => flags.includes(flag))) writing.push(name)
  }
  expect(writing.length).toBeGreaterThan(3)
  expect(writing.filter((name) => !PARSING.has(name))).toEqual([])
})
