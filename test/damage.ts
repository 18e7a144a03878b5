/** Returns a random whole number from 0 to below its argument. */
export type Pick = (below: number) => number

/** Tokens that end, open, close or change how the following text is read in some language. */
const TOKENS = [
  ..."{}()[]<>\"'`#;:,.=@$\\|&!?*+-~^%/",
  ..."\n \t\r\0\u2028\ufeff\ud800é",
  ...["/*", "*/", "//", "--", "<!--", "-->", "```", '"""', "'''", "=>", "->", "::", "${", "#{", "<<EOF\n"],
  ...[
    "class ",
    "function ",
    "def ",
    "fn ",
    "end",
    "if ",
    "else ",
    "async ",
    "return ",
    "import ",
    "<script>",
  ],
  ...[
    "</script>",
    "<style lang=scss>",
    "---\n",
    "&a ",
    "*a",
    "|\n",
    "😀",
    "\n\n",
    "    ",
    "template<",
    "#if 1\n",
  ],
]

/** The text with one to six random damages, such as a typing error, a cut or repeated tokens. */
export function damage(text: string, pick: Pick): string {
  let damaged = text
  for (let wounds = 1 + pick(6); wounds > 0; wounds--) damaged = WOUNDS[pick(WOUNDS.length)]!(damaged, pick)
  return damaged
}

const WOUNDS: readonly ((text: string, pick: Pick) => string)[] = [
  // Changes a character.
  (text, pick) => spliced(text, pick(text.length), 1, String.fromCharCode(pick(256))),
  // Inserts tokens, in place of others or between them.
  (text, pick) => spliced(text, pick(text.length), pick(3), oneOf(TOKENS, pick)),
  (text, pick) => spliced(text, pick(text.length), pick(20), oneOf(TOKENS, pick)),
  // Cuts off the end or the beginning.
  (text, pick) => text.slice(0, pick(text.length)),
  (text, pick) => text.slice(pick(text.length >> 1)),
  // Removes, repeats or swaps lines.
  (text, pick) => onLines(text, (lines) => lines.toSpliced(pick(lines.length), 1 + pick(4))),
  (text, pick) => onLines(text, (lines) => lines.toSpliced(pick(lines.length), 0, ...someOf(lines, pick))),
  (text, pick) => onLines(text, (lines) => [...someOf(lines, pick), ...someOf(lines, pick)]),
  // Puts all text on one line, or each word on its own line.
  (text) => text.replaceAll("\n", " "),
  (text) => text.replaceAll(" ", "\n"),
  // Repeats an opening token up to a thousand times.
  (text, pick) => spliced(text, pick(text.length), 0, oneOf(TOKENS, pick).repeat(pick(1000))),
]

function oneOf(list: readonly string[], pick: Pick): string {
  return list[pick(list.length)]!
}

function someOf(lines: readonly string[], pick: Pick): string[] {
  const from = pick(lines.length)
  return lines.slice(from, from + pick(40))
}

function spliced(text: string, at: number, removed: number, inserted: string): string {
  return text.slice(0, at) + inserted + text.slice(at + removed)
}

function onLines(text: string, change: (lines: string[]) => string[]): string {
  return change(text.split("\n")).join("\n")
}

/** A seeded generator (Tommy Ettinger's mulberry32), so that every run has the same damage. */
export function seeded(seed: number): Pick {
  let state = seed
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return (below) => Math.floor(random() * below)
}
