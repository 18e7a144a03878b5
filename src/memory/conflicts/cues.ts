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
    ebenfalls ebenso aussi également en_plus también además también também além anche inoltre pure также тоже ещё еще`,
  doubts: `maybe perhaps might may could should would consider~ if whether someday eventually next_quarter next_year falls nächste~_Jahr an_prochain próximo_año ano_que_vem anno_prossimo если vielleicht sollte~ könnte~ eventuell
    überleg~ peut-être devrai~ pourrai~ envisag~ quizá~ tal_vez debería~ podría~ pensamos estudia~ talvez poderia~ deveria~
    pensando forse potrebbe~ dovrebbe~ pensiamo valut~ может возможно думаем планиру~ рассматрива~ должен`,
  changes: `now currently anymore longer instead these_days from_now_on replac~ switch~ mov~ migrat~ renam~ upgrad~ updat~ chang~ rais~ lower~ increas~
    decreas~ reduc~ extend~ shorten~ improv~ reached bump~ drop~ remov~ delet~ disabl~ retir~ deprecat~ abandon~ cancel~ gone finish~ complet~ ended stopped quit became
    took taken back since postpon~ reschedul~ slipped delayed superse~ correction reverted swapped split jetzt nun inzwischen mittlerweile statt
    wieder zurück umgestiegen umgestellt umbenannt umgezogen verschoben verleg~ übernommen ersetz~ gewechselt geändert erhöht gesenkt gestiegen
    abgeschaltet abgeschlossen abgesagt abgeschafft gestrichen beendet entfernt gelöscht eingestellt seit maintenant désormais finalement
    depuis remplac~ renomm~ passé~ repris~ repouss~ déplacé~ abandonn~ supprim~ annul~ désactiv~ termin~ augment~ réduit~ ahora ya desde volvimos
    actualiza~ reemplaz~ renombr~ cambia~ pasó pasaron aplaz~ movi~ movió dej~ dejó elimin~ cancel~ desactiv~ agora passou migrad~ troc~ atualiz~
    substitu~ renome~ mudou mudamos adiad~ larg~ deslig~ desativ~ conclu~ assumiu ora adesso passat~ aggiornat~ sostituit~ rinominat~ spostat~
    rinviat~ tornat~ slittat~ rimoss~ spent~ lasciat~ posto теперь вместо больше обратно стало перенес~ перенёс~ перевед~ переведён переименов~
    переш~ изменён~ замен~ увелич~ уменьш~ верну~ отключ~ отмен~ удал~ убра~ законч~ заверш~`,
  first: "i my me mine i'm i've ich mein~ je j ma mon yo mi eu meu minha io mio mia я мой моя",
}

const UNSPACED: { readonly [Name in CueName]: RegExp } = {
  denies: /ない|なかった|なく|ません|禁止|不|没|未|无法|禁用|별도|않|없|못|금지|안 /u,
  adds: /[にでとは]も|また|さらに|追加|也|还|另外|同时|[가-힣A-Za-z]도(?![가-힣])|또한|추가/u,
  doubts:
    /検討|来年|余裕|如果|明年|내년|다면|かもしれ|べき|ほうがいい|たら|考虑|可能|也许|计划|要不要|是否|검토|고려|아마|해야 할|수도 있|까\?/u,
  changes:
    /変更|変え|変わ|移行|移した|延期|引き継|乗り換え|切り替え|やめ|になりました|になった|増え|減ら|廃止|削除|中止|終了|終わった|完了|現在|改为|改用|改成|改名|已|现在|换|推迟|不再|升级|扩容|增加到|下线|取消|删除|停用|结束|完成|변경|바꿨|바뀌|옮겼|늘었|줄었|폐기|삭제|취소|종료|끝났|완료|대신|이제|연기|올렸|더 이상/u,
  first: /私|僕|我|나는|내 |저는/u,
}

const PATTERNS = Object.fromEntries(
  Object.entries(SPACED).map(([name, words]) => [
    name,
    new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${anyOf(words)})(?![\\p{L}\\p{N}_])(?!-\\p{L})`, "iu"),
  ]),
) as { readonly [Name in CueName]: RegExp }

function anyOf(words: string): string {
  const of = (word: string) => word.replace("~", "\\p{L}*").replaceAll("_", "\\s+").replaceAll("'", "['’]")
  return words.trim().split(/\s+/).map(of).join("|")
}

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

/** Number words: they take values as digits do. */
const COUNTS = `two three four five six seven eight nine ten eleven twelve twenty once twice zwei drei vier fünf sechs sieben acht neun zehn elf
  zwölf deux trois quatre cinq sept huit neuf dix onze douze dos tres cuatro cinco seis siete ocho nueve diez doce dois duas três quatro sete oito
  nove dez doze due tre quattro cinque sei sette otto dieci dodici два две двух три трёх трех четыре пять шесть семь восемь девять десять
  двенадцать [两十]`

const COUNT = new RegExp(`^(?:${anyOf(COUNTS)})$`, "iu")

/** True for a word that counts. */
export const isCount = (word: string): boolean => COUNT.test(word)

/** True for a word that is a particle of any class. */
export function isCue(word: string): boolean {
  return ALL.test(word)
}

const SOURCES = Object.values(PATTERNS).map(({ source }) => source)
const ALL = new RegExp(`^(?:${SOURCES.join("|")})$`, "iu")
