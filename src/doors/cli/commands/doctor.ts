import type { CheckResult } from "../../../base/index.ts"
import { type Command, EXIT } from "../command.ts"
import { refuseArguments } from "../flags.ts"
import type { Colors } from "../output.ts"
import { printableLine } from "../text.ts"
import { projectOptions } from "../with-project.ts"

export const doctorCommand: Command = {
  usage: "[flags]",
  details: `Checks versions, settings, memory, disk space, write access, the index, the embedder, the grammars
and the installed agents, and suggests a repair for each problem. It changes and downloads nothing. Exits with 3 if
something is wrong.`,
  flags: [],
  examples: [
    { line: "aman doctor", note: "here" },
    { line: "aman doctor --json", note: '{"state","checks":[{"name","state","message","next"}]}' },
  ],
  async run(input) {
    refuseArguments(input, "doctor")
    const { diagnose } = await import("../../doctor/doctor.ts")
    const diagnosis = await diagnose(projectOptions(input))
    if (input.flags.has("json")) await input.output.json(diagnosis)
    else {
      const wanted = diagnosis.checks.filter(({ state }) => !input.flags.has("quiet") || state !== "ok")
      await input.output.write(wanted.map((check) => checkText(check, input.output.colors)).join(""))
    }
    return diagnosis.state === "error" ? EXIT.failure : EXIT.ok
  },
}

function checkText({ name, state, message, next }: CheckResult, c: Colors): string {
  const color = { ok: c.green, warning: c.yellow, error: c.red }[state]
  const line = `${color(state.padEnd(7))}  ${name.padEnd(9)} ${printableLine(message)}\n`
  return next === null ? line : `${line}${" ".repeat(19)}${c.cyan("next:")} ${printableLine(next)}\n`
}
