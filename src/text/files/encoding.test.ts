import { expect, test } from "bun:test"
import { encode } from "../../../test/encode.ts"
import { encodingInText, encodingNamed } from "./encoding.ts"
import { decodeText } from "./read-source.ts"

/** Comments as people write them in code, by language. */
const COMMENTS: Readonly<Record<string, readonly string[]>> = {
  ja: [
    "在庫の数を数えて、足りない商品の一覧を返します。",
    "設定ファイルが見つからない場合は、既定の値を使います。",
    "このソフトウェアは無保証で提供されます。",
    "接続が切れたら、少し待ってからもう一度試す。",
    "引数の型が違うときは例外を投げる。",
  ],
  "zh-CN": [
    "统计库存数量，并返回缺货商品的列表。",
    "如果找不到配置文件，就使用默认值。",
    "本软件按原样提供，不附带任何担保。",
    "连接断开后，稍等片刻再重试。",
    "参数类型不对时抛出异常。",
  ],
  "zh-TW": [
    "統計庫存數量，並傳回缺貨商品的清單。",
    "如果找不到設定檔，就使用預設值。",
    "本軟體按原樣提供，不附帶任何擔保。",
    "連線中斷後，稍等片刻再重試。",
    "參數型別不對時擲出例外。",
  ],
  ko: [
    "재고 수량을 세고 부족한 상품의 목록을 돌려준다.",
    "설정 파일을 찾을 수 없으면 기본값을 사용합니다.",
    "이 소프트웨어는 어떠한 보증도 없이 제공됩니다.",
    "연결이 끊어지면 잠시 기다렸다가 다시 시도한다.",
    "인수의 형식이 다르면 예외를 던진다.",
  ],
  ru: [
    "Считает остатки на складе и возвращает список недостающих товаров.",
    "Если файл настроек не найден, берутся значения по умолчанию.",
    "Программа поставляется как есть, без каких-либо гарантий.",
    "После разрыва соединения немного подождать и повторить попытку.",
    "Если тип аргумента неверен, бросает исключение.",
  ],
  uk: [
    "Рахує залишки на складі та повертає список відсутніх товарів.",
    "Якщо файл налаштувань не знайдено, беруться типові значення.",
    "Програма постачається як є, без жодних гарантій її якості.",
    "Після розриву з'єднання трохи зачекати й повторити спробу.",
    "Якщо тип аргументу хибний, кидає виняток.",
  ],
  el: [
    "Μετρά τα αποθέματα και επιστρέφει τη λίστα των προϊόντων που λείπουν.",
    "Αν δεν βρεθεί το αρχείο ρυθμίσεων, χρησιμοποιούνται οι προεπιλογές.",
    "Το λογισμικό παρέχεται ως έχει, χωρίς καμία εγγύηση.",
    "Όταν κοπεί η σύνδεση, περιμένει λίγο και ξαναδοκιμάζει.",
    "Αν ο τύπος του ορίσματος είναι λάθος, προκαλεί εξαίρεση.",
  ],
  cs: [
    "Spočítá zásoby a vrátí seznam zboží, které na skladě chybí.",
    "Když se soubor s nastavením nenajde, použijí se výchozí hodnoty.",
    "Program je poskytován tak, jak je, bez jakékoli záruky.",
    "Po přerušení spojení chvíli počká a zkusí to znovu.",
    "Má-li parametr špatný typ, vyhodí výjimku.",
  ],
  pl: [
    "Liczy stany magazynu i zwraca listę brakujących towarów.",
    "Jeśli plik ustawień nie został znaleziony, użyte będą wartości domyślne.",
    "Program jest dostarczany tak, jak jest, bez żadnej gwarancji.",
    "Po zerwaniu połączenia czeka chwilę i ponawia próbę.",
    "Gdy typ argumentu jest błędny, zgłasza wyjątek.",
  ],
  de: [
    "Zählt die Vorräte und gibt eine Liste der fehlenden Artikel zurück.",
    "Fehlt die Datei mit den Einstellungen, gelten die üblichen Werte.",
    "Das Programm wird ohne jede Gewährleistung zur Verfügung gestellt.",
    "Bricht die Verbindung ab, wird kurz gewartet und ein neuer Versuch gemacht.",
    "Für ungültige Größen löst es eine Ausnahme aus.",
  ],
  fr: [
    "Compte les stocks et renvoie la liste des articles épuisés.",
    "Si le fichier de réglages est introuvable, les valeurs par défaut sont utilisées.",
    "Le logiciel est fourni tel quel, sans garantie d'aucune sorte, même où il échoue.",
    "Quand la connexion est coupée, on attend un peu avant de réessayer à côté.",
    "Lève une exception si le type du paramètre n'est pas celui attendu par l'élève.",
  ],
  tr: [
    "Depodaki ürünleri sayar ve eksik olanların listesini döndürür.",
    "Ayar dosyası bulunamazsa varsayılan değerler kullanılır.",
    "Yazılım olduğu gibi, hiçbir güvence verilmeden sağlanır.",
    "Bağlantı koparsa biraz bekleyip işlemi yeniden dener.",
    "Değişkenin türü yanlışsa bir hata fırlatır.",
  ],
}

const CODE = [
  "export function count(items: readonly Item[], limit = 10): number {",
  "  const missing = items.filter((item) => item.amount === 0)",
  "  for (const { name, price } of missing) total += price",
  "  return missing.length > limit ? limit : missing.length",
  "}",
]

/** A source with comments of `bytes` bytes at least, five lines of code between each two. */
function sourceWith(comments: readonly string[], encoding: string, from: number, bytes: number): string {
  const lines: string[] = []
  for (let at = from, taken = 0; taken < bytes; at++) {
    const comment = comments[at % comments.length]!
    taken += encode(comment, encoding).length
    lines.push(`// ${comment}`, ...CODE)
  }
  return `${lines.join("\n")}\n`
}

const PAIRS: readonly (readonly [encoding: string, language: string])[] = [
  ["shift_jis", "ja"],
  ["euc-jp", "ja"],
  ["gbk", "zh-CN"],
  ["gb18030", "zh-CN"],
  ["big5", "zh-TW"],
  ["euc-kr", "ko"],
  ["windows-1251", "ru"],
  ["windows-1251", "uk"],
  ["koi8-r", "ru"],
  ["koi8-u", "uk"],
  ["iso-8859-5", "ru"],
  ["x-mac-cyrillic", "ru"],
  ["ibm866", "ru"],
  ["windows-1253", "el"],
  ["iso-8859-7", "el"],
  ["windows-1250", "cs"],
  ["iso-8859-2", "cs"],
  ["windows-1250", "pl"],
  ["iso-8859-2", "pl"],
  ["windows-1252", "de"],
  ["windows-1252", "fr"],
  ["iso-8859-15", "fr"],
  ["macintosh", "de"],
  ["macintosh", "fr"],
  ["windows-1254", "tr"],
]

test.each(PAIRS)(
  "guesses %s in five sources with 200 bytes of %s and in one with 3,000",
  (encoding, language) => {
    for (const [from, bytes] of [
      [0, 200],
      [1, 200],
      [2, 200],
      [3, 200],
      [4, 200],
      [0, 3000],
    ] as const) {
      const source = sourceWith(COMMENTS[language]!, encoding, from, bytes)
      expect(decodeText(encode(source, encoding))).toMatchObject({ text: source, isGuess: true })
    }
  },
)

test.each([
  ["/* Jürgen Schäfer, © 2004 */", "windows-1252"],
  ["// naïve – “quoted” … 30 €", "windows-1252"],
  ["# 在庫の数\ndef f(): pass\n", "shift_jis"],
  ["# 在庫の数\ndef f(): pass\n", "euc-jp"],
  ["// Привет мир", "windows-1251"],
  ["// Привет мир", "koi8-r"],
])("guesses the encoding of a few letters: %j in %s", (text, encoding) => {
  expect(decodeText(encode(text, encoding))?.text).toBe(text)
})

test.each([
  ["# -*- coding: euc-jp -*-\n# 数\n", "euc-jp"],
  ["#!/usr/bin/python\n# vim: set fileencoding=cp932 :\n# 数\n", "shift_jis"],
  [";; -*- mode: lisp; coding: japanese-shift-jis-dos -*-\n;; 数\n", "shift_jis"],
  ['<?xml version="1.0" encoding="GB2312"?>\n<a>错误</a>\n', "gbk"],
  [
    "<html><head>\n<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>ключ",
    "windows-1251",
  ],
  ['<meta charset="Big5">中文', "big5"],
  ['@charset "iso-8859-2";\n/* Žižka */\n', "iso-8859-2"],
  ['msgid ""\nmsgstr "Content-Type: text/plain; charset=EUC-KR\\n"\n"오류"\n', "euc-kr"],
  ['" Menus\n\nscriptencoding cp1250\nmenu Žižka\n', "windows-1250"],
  ["\\documentclass{article}\n\\usepackage[latin9]{inputenc}\n% été €\n", "iso-8859-15"],
  ["% !TeX encoding = latin2\n% Žižka\n", "iso-8859-2"],
  ["# encoding: Latin-1\n# été\n", "windows-1252"],
])("reads a text as it declares: %j", (text, encoding) => {
  const bytes = encode(text, encoding)
  expect(encodingInText(bytes)).toBe(encoding)
  expect(decodeText(bytes)).toEqual({ text, encoding, isGuess: false })
})

test.each([
  ["not the encoding of the bytes", "# coding: euc-jp\n# 在庫の数を数える\n", "shift_jis"],
  ["unknown", "# coding: klingon\n# 在庫の数を数える\n", "shift_jis"],
  ["UTF-8 for other bytes", '<?xml version="1.0" encoding="UTF-8"?><a>在庫の数</a>', "shift_jis"],
  ["UTF-16 for single bytes", '<?xml version="1.0" encoding="utf-16"?><a>在庫の数</a>', "shift_jis"],
])("ignores a declaration that is %s", (_, text, encoding) => {
  expect(decodeText(encode(text, encoding))).toEqual({ text, encoding, isGuess: true })
})

test("UTF-8 stays UTF-8 whatever it declares, and with a few invalid bytes", () => {
  const text = "# coding: shift_jis\n# 在庫の数 Größe\n"
  expect(decodeText(Buffer.from(text))).toEqual({ text, encoding: "utf-8", isGuess: false })
  const cut = decodeText(Buffer.from("# 在庫の数を数えて、足りない商品").subarray(0, -1))
  expect(cut).toMatchObject({ text: "# 在庫の数を数えて、足りない商\ufffd", encoding: "utf-8" })
})

test("finds encodings by the names of editors and languages", () => {
  const written = [
    "SJIS",
    "cp932",
    "euc_kr",
    "ISO-8859-15",
    "latin2",
    "iso-latin-1-unix",
    "MacRoman",
    "../etc",
  ]
  expect(written.map(encodingNamed)).toEqual([
    "shift_jis",
    "shift_jis",
    "euc-kr",
    "iso-8859-15",
    "iso-8859-2",
    "windows-1252",
    "macintosh",
    null,
  ])
})

test("decodes 2 MiB in one line, with many letters beyond ASCII or few", () => {
  for (const step of [2, 4000]) {
    const text = Buffer.alloc(2 << 20, "a ").map((byte, at) => (at % step === 0 ? 0xe9 : byte))
    expect(decodeText(text)).not.toBeNull()
  }
})
