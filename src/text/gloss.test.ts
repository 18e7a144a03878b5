import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { readWorkdayNotes } from "../../packages/lab/bench/knowledge-data.ts"
import { glossOf } from "./gloss.ts"

const models = join(import.meta.dir, "../../models")

test("the table is the one whose checksum is committed", () => {
  const sum = new Bun.CryptoHasher("sha256").update(readFileSync(join(models, "gloss.bin"))).digest("hex")
  expect(`${sum}\n`).toBe(readFileSync(join(models, "gloss.sha256"), "utf8"))
})

test.each([
  ["German", "Die Datenbank wird am Montag gelöscht.", ["database", "monday", "deleted"]],
  ["French, with elisions", "L'utilisateur n'a pas de mot de passe.", ["user", "not", "password"]],
  [
    "Spanish, without accents",
    "La configuracion del servidor esta en este archivo.",
    ["config", "server", "file"],
  ],
  ["Portuguese", "A senha do usuário não está no arquivo.", ["password", "user", "not", "file"]],
  ["Italian", "La password dell'utente non è nel file di configurazione.", ["user", "not", "config"]],
  ["Russian", "Пароль пользователя хранится в файле.", ["password", "user", "file"]],
  ["Japanese", "パスワードはファイルに保存されない。", ["password", "file", "not"]],
  ["Chinese", "密码不在这个文件里。", ["password", "not", "file"]],
  ["Korean", "비밀번호는 파일에 없습니다.", ["password", "file"]],
])("replaces words of %s", (_, text, words) => {
  const gloss = glossOf(text).toLowerCase()
  for (const word of words) expect(gloss).toContain(word)
})

test("leaves English notes as they are", () => {
  for (const { text } of readWorkdayNotes()) expect(glossOf(text)).toBe(text)
})

test("leaves names, numbers and code of other languages as they are", () => {
  const text = "Die Funktion parseUser() in src/die/datei.ts liest `die Datei` mit HTTP 404 und user_name."
  const gloss = glossOf(text)
  for (const part of ["parseUser()", "src/die/datei.ts", "`die Datei`", "HTTP 404", "user_name"])
    expect(gloss).toContain(part)
})

test("returns ASCII without letters, and any text of one code point repeated, in time that grows with its length", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 3 }), (part) => {
      const gloss = glossOf(part.repeat(2_000))
      expect(gloss.length).toBeLessThan(part.length * 2_000 * 40)
    }),
    { numRuns: 50 },
  )
})
