import type { TextWindow } from "./document.ts"

/** A text in pieces of whole sentences, about `PASSAGE_WORDS` words each; at least one, also where it is empty. */
export function passagesOf(text: string): TextWindow[] {
  const passages: TextWindow[] = []
  let start = 0
  let end = 0
  let size = 0
  for (const sentence of sentencesOf(text)) {
    const words = countWords(text, sentence)
    if (size > 0 && size + words > PASSAGE_WORDS * 1.25) {
      passages.push({ start, end })
      start = sentence.start
      size = 0
    }
    end = sentence.end
    size += words
    if (size >= PASSAGE_WORDS) {
      passages.push({ start, end })
      start = end
      size = 0
    }
  }
  if (size > 0 || passages.length === 0) passages.push({ start, end: text.length })
  return passages
}

/** Sentences in order, which together are the text; what runs on without end is cut where there is a space. */
export function sentencesOf(text: string): TextWindow[] {
  const sentences: TextWindow[] = []
  let start = 0
  for (const { index, 0: mark } of text.matchAll(ENDS)) {
    start = pushSentence(sentences, text, start, index + mark.length)
  }
  pushSentence(sentences, text, start, text.length)
  return sentences
}

/** Found best among 30, 60, 90 and whole entries: long enough to hold a thought, short enough not to hold two. */
const PASSAGE_WORDS = 60
/** A sentence this long has no marks, or is no sentence. */
const LONGEST_SENTENCE = 500
// From the first mark only, or a long row of them takes its square.
const ENDS = /(?<![.!?])[.!?]+["')\]]*\s+|[。！？]+|\n+/g
const WIDE = /[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af]/g

function pushSentence(sentences: TextWindow[], text: string, from: number, end: number): number {
  let start = from
  while (end - start > LONGEST_SENTENCE) {
    const space = text.lastIndexOf(" ", start + LONGEST_SENTENCE)
    let cut = space > start + LONGEST_SENTENCE / 2 ? space + 1 : start + LONGEST_SENTENCE
    // Never between the halves of a character.
    if ((text.charCodeAt(cut) & 0xfc00) === 0xdc00) cut++
    sentences.push({ start, end: cut })
    start = cut
  }
  if (end > start) sentences.push({ start, end })
  return end
}

/** Words by their spaces; scripts without spaces by two characters a word. */
function countWords(text: string, { start, end }: TextWindow): number {
  const sentence = text.slice(start, end)
  const spaced = sentence.match(/\S+/g)?.length ?? 0
  return spaced + ((sentence.match(WIDE)?.length ?? 0) >> 1)
}
