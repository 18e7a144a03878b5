/**
 * Encodings of files, by names of the WHATWG Encoding Standard. Indexes store their positions, so names may only be
 * appended. "windows-1252" also stands for Latin-1.
 */
const ENCODINGS: readonly string[] = (
  "utf-8 utf-16le utf-16be windows-1252 shift_jis euc-jp iso-2022-jp gbk gb18030 big5 euc-kr " +
  "windows-1250 windows-1251 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 " +
  "windows-1258 windows-874 koi8-r koi8-u ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 " +
  "iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 " +
  "iso-8859-16 macintosh x-mac-cyrillic"
).split(" ")

/** Name of an encoding in the WHATWG Encoding Standard, such as "shift_jis". */
export type EncodingName = string

// Bits of a file's flags above those of FILE_FLAG: the position of the encoding that attributes declare, the position of
// the one in which the file was read, and whether that is a guess.
const DECLARED_BIT = 17
const READ_BIT = 23
const POSITIONS = 63
/** Set if the encoding in which a file was read is a guess. */
export const GUESSED_FLAG: number = 1 << 29

/** The bits that `declaredFlags` sets. */
export const DECLARED_FLAGS: number = POSITIONS << DECLARED_BIT

/** The flags of a file whose encoding is declared by `.gitattributes` or `.editorconfig`; 0 for UTF-8. */
export function declaredFlags(encoding: EncodingName): number {
  return positionOf(encoding) << DECLARED_BIT
}

/** The flags of a file that was read in an encoding; 0 for UTF-8. */
export function encodingFlags({ encoding, isGuess }: FileEncoding): number {
  return (positionOf(encoding) << READ_BIT) | (isGuess ? GUESSED_FLAG : 0)
}

/** The encoding of a file; `isGuess` is true if it follows only from the bytes and is not Unicode. */
export type FileEncoding = { readonly encoding: EncodingName; readonly isGuess: boolean }

/** The encoding that attributes declare; null for none and for UTF-8. */
export function declaredEncoding(flags: number): FileEncoding | null {
  const encoding = encodingAt(flags >> DECLARED_BIT)
  return encoding === null ? null : { encoding, isGuess: false }
}

/** The encoding in which a file was read; null for UTF-8. */
export function encodingOf(flags: number): FileEncoding | null {
  const encoding = encodingAt(flags >> READ_BIT)
  return encoding === null ? null : { encoding, isGuess: (flags & GUESSED_FLAG) !== 0 }
}

function encodingAt(shifted: number): EncodingName | null {
  const position = shifted & POSITIONS
  return position === 0 ? null : (ENCODINGS[position] ?? null)
}

function positionOf(encoding: EncodingName): number {
  return Math.max(0, ENCODINGS.indexOf(encoding))
}
