const SEARCHED_LINES = 5
/** A modeline stands on a short line; a long one is data. */
const MAX_LINE_CHARS = 300
const MAX_EDGE_CHARS = 4000

const VIM = /(?:^|\s)(?:vi|vim|ex)(?:[<=>]?\d+)?:(?:.*[\s:])?(?:ft|filetype|syntax)=([\w.+-]+)/
const EMACS = /-\*-\s*(?:.*?\bmode\s*:\s*([\w+#-]+).*?|([\w+#-]+)\s*)-\*-/i
const EMACS_BLOCK = /^\W*mode:\s*([\w+#-]+)/i

/** What editors call a language where we, or its extensions, do not. */
const ALIASES: Readonly<Record<string, string>> = {
  "c++": "cpp",
  "c#": "csharp",
  "f#": "fsharp",
  cperl: "perl",
  "emacs-lisp": "lisp",
  javascriptreact: "javascript",
  js2: "javascript",
  "makefile-gmake": "makefile",
  make: "makefile",
  objc: "objective-c",
  objcpp: "objective-c",
  plaintex: "tex",
  latex: "tex",
  scheme: "lisp",
  "shell-script": "bash",
  typescriptreact: "tsx",
  vb: "visual-basic",
}

/**
 * The language that a vim or emacs modeline names, in lower case and by our name where we know the editor's:
 * `vim: ft=python`, `-*- mode: ruby -*-`, `-*- C++ -*-`, or `mode: sh` under `Local Variables:`.
 */
export function modelineLanguage(text: string): string | null {
  const first = text.slice(0, MAX_EDGE_CHARS).split("\n", SEARCHED_LINES)
  const last = text
    .slice(-MAX_EDGE_CHARS)
    .split("\n")
    .slice(-SEARCHED_LINES - 1)
  const name = inLines([...first, ...last]) ?? inLocalVariables(text)
  if (name === undefined) return null
  const lower = name.toLowerCase().replace(/-(?:ts-)?mode$/, "")
  return ALIASES[lower] ?? lower
}

function inLines(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    if (line.length > MAX_LINE_CHARS) continue
    const vim = VIM.exec(line)
    if (vim) return vim[1]
    const emacs = EMACS.exec(line)
    if (emacs) return emacs[1] ?? emacs[2]
  }
  return undefined
}

function inLocalVariables(text: string): string | undefined {
  const at = text.lastIndexOf("Local Variables:")
  if (at < text.length - MAX_EDGE_CHARS || at < 0) return undefined
  for (const line of text.slice(at).split("\n")) {
    const found = line.length <= MAX_LINE_CHARS && EMACS_BLOCK.exec(line)
    if (found) return found[1]
  }
  return undefined
}
