import { binary, type Workspace } from "./harness.ts"

export const COLUMNS = 72

/** Runs the binary on a terminal of its own and returns what it writes. */
export async function onTerminal(
  space: Workspace,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  /** `typed` is entered when the text `to` appears. */
  answer: { readonly to: string; readonly typed: string } | null = null,
) {
  let written = ""
  const decoder = new TextDecoder()
  const child = Bun.spawn([binary, ...args], {
    cwd: space.project,
    env: { ...space.env, TERM: "xterm-256color", ...env },
    terminal: {
      cols: COLUMNS,
      rows: 40,
      data: (_, data) => {
        const isAsked = answer !== null && written.includes(answer.to)
        written += decoder.decode(data, { stream: true })
        if (answer !== null && !isAsked && written.includes(answer.to)) child.terminal?.write(answer.typed)
      },
    },
  })
  const code = await child.exited
  child.terminal?.close()
  return { code, written, lines: Bun.stripANSI(written).split("\r\n") }
}
