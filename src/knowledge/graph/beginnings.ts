/** Which words begin no name, told without reading them whole: nine in ten of a text. */
export class Beginnings {
  readonly #known = new Uint8Array(1 << 15)

  add(word: string): void {
    const mark = markOf(word, 0, word.length)
    if (mark !== UNSURE) this.#known[mark] = 1
  }

  mayBegin(text: string, start: number, end: number): boolean {
    const mark = markOf(text, start, end)
    return mark === UNSURE || this.#known[mark] === 1
  }
}

const UNSURE = -1

/** Of the first two characters and the last, without case; what underscores or letters beyond ASCII hide is not judged. */
function markOf(text: string, start: number, end: number): number {
  const first = text.charCodeAt(start)
  const second = start + 1 < end ? text.charCodeAt(start + 1) : 0
  const last = text.charCodeAt(end - 1)
  if ((first | second | last) > 127 || first === UNDERSCORE || second === UNDERSCORE || last === UNDERSCORE) {
    return UNSURE
  }
  return ((first & 31) << 10) | ((second & 31) << 5) | (last & 31)
}

const UNDERSCORE = 95
