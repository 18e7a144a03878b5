/*
 * Particles that say how a sentence stands to an earlier one: it denies, adds, doubts, or says that something changed.
 * These closed classes are the only words that conflicts are told by; what two sentences say is compared without any
 * (compare.ts). One row per class, for English, German, French, Spanish, Portuguese, Italian, Russian, Japanese,
 * Chinese and Korean.
 */

/** What the particles of a sentence say about it. */
export type Cues = { readonly [Name in CueName]: boolean }
type CueName = keyof typeof SPACED

/**
 * Whole words, separated by blanks; «~» at the end stands for any ending, «_» for a blank. Scripts without blanks are in `UNSPACED`.
 */
const SPACED = {
  denies: `not no never none cannot don't doesn't didn't isn't aren't wasn't can't won't without lacks nobody nothing neither nor refuse~
    forbid~ prohibit~ nicht kein~ nie niemals ne n pas jamais aucun~ nunca ningun~ ningún não nenhum~ non mai nessun~
    не нет никогда нельзя`,
  adds: `also too additionally besides furthermore another both likewise similarly second as_well in_addition auch zusätzlich außerdem
    ebenfalls ebenso aussi également también además también também além anche inoltre pure также тоже ещё еще`,
  doubts: `maybe perhaps might may could should would consider~ if whether someday eventually next_quarter next_year vielleicht sollte~ könnte~ eventuell
    überleg~ peut-être devrai~ pourrai~ envisag~ quizá~ tal_vez debería~ podría~ pensamos estudia~ talvez poderia~ deveria~
    pensando forse potrebbe~ dovrebbe~ pensiamo valut~ может возможно думаем планиру~ рассматрива~ должен`,
  changes: `now currently anymore longer instead replac~ switch~ mov~ migrat~ renam~ upgrad~ updat~ chang~ rais~ lower~ increas~ decreas~ reduc~
    extend~ bump~ drop~ remov~ retir~ took taken back since postpon~ reschedul~ slipped delayed superse~ correction reverted
    swapped jetzt nun inzwischen mittlerweile statt wieder zurück umgestiegen verschoben übernommen maintenant désormais
    finalement remplac~ passé~ repris~ repouss~ abandonn~ ahora ya volvimos actualiza~ reemplaz~ cambia~ pasó agora
    passou migrad~ troc~ atualiz~ assumiu ora adesso passat~ aggiornat~ tornat~ slittat~ posto теперь вместо больше
    обратно перенес~ перенёс~ перевед~ переведён изменён~ увелич~ верну~`,
  first: "i my me mine i'm i've ich mein~ je j ma mon yo mi eu meu minha io mio mia я мой моя",
}

const UNSPACED: { readonly [Name in CueName]: RegExp } = {
  denies: /ない|なかった|なく|ません|禁止|不|没|未|无法|禁用|별도|않|없|못|금지|안 /u,
  adds: /[にでとは]も|また|さらに|追加|也|还|另外|同时|[가-힣A-Za-z]도(?![가-힣])|또한|추가/u,
  doubts: /検討|かもしれ|べき|ほうがいい|たら|考虑|可能|也许|计划|要不要|是否|검토|고려|아마|해야 할|까\?/u,
  changes:
    /変更|移行|延期|引き継|変わ|やめ|になりました|現在|改为|改用|改成|已|现在|换|推迟|不再|升级|변경|바꿨|대신|이제|연기|올렸|더 이상/u,
  first: /私|僕|我|나는|내 |저는/u,
}

const PATTERNS = Object.fromEntries(
  Object.entries(SPACED).map(([name, words]) => {
    const alternatives = words
      .trim()
      .split(/\s+/)
      .map((word) => word.replace("~", "\\p{L}*").replaceAll("_", "\\s+").replaceAll("'", "['’]"))
    return [
      name,
      new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${alternatives.join("|")})(?![\\p{L}\\p{N}_])(?!-\\p{L})`, "iu"),
    ]
  }),
) as { readonly [Name in CueName]: RegExp }

const QUESTION = /[?？؟]["'”’)»]*\s*$|か[。.]?\s*$/u

export function cuesOf(sentence: string): Cues {
  const has = (name: CueName) => PATTERNS[name].test(sentence) || UNSPACED[name].test(sentence)
  return {
    denies: has("denies"),
    adds: has("adds"),
    doubts: has("doubts") || QUESTION.test(sentence),
    changes: has("changes"),
    first: has("first"),
  }
}

/** True for a word that is a particle of any class. */
export function isCue(word: string): boolean {
  return ALL.test(word)
}

const ALL = new RegExp(
  `^(?:${Object.values(PATTERNS)
    .map(({ source }) => source)
    .join("|")})$`,
  "iu",
)
