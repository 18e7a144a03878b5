/**
 * The text, and the same text as a person reads it if letters were written in disguise: full-width letters, invisible
 * characters, accents, and letters of other alphabets that look like Latin ones. A secret in one of them is found.
 */
export function spellings(text: string): readonly string[] {
  if (!DISGUISED.test(text)) return [text]
  const plain = text.normalize("NFKC").replace(INVISIBLE, "")
  const latin = plain
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(LOOK_ALIKE, (letter) => LATIN.get(letter)!)
  return [...new Set([text, plain, latin])]
}

const DISGUISED = /[^\0-\x7f]/
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Letters of other alphabets, each with the Latin letter that it looks like (Unicode's confusables.txt). */
const PAIRS =
  "аa еe оo рp сc уy хx ѕs іi јj һh ԁd ԛq ԝw кk мm тt вb нh гr ѵv пn АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ЅS ІI ЈJ ԌG " +
  "αa βb εe ιi κk νv οo ρp τt υu χx γy ωw ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX оo օo սu ոn հh ցg ɑa ɡg ıi ʟl ꜱs ᴀa " +
  "ᴅd ᴇe ᴋk ᴏo ᴘp ᴡw ᴛt ᴜu ʀr ɴn ɪi ʏy ʙb ᴄc ʜh ᴊj ᴍm ᴠv ᴢz ꮪS ꓢS ꓑP ꓦV"
const LATIN: ReadonlyMap<string, string> = new Map(
  PAIRS.split(" ").map((pair) => [[...pair][0]!, [...pair][1]!] as const),
)
const LOOK_ALIKE = new RegExp(`[${[...LATIN.keys()].join("")}]`, "gu")
