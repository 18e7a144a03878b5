import { expect, test } from "bun:test"
import { readPairs } from "../truth-pairs.ts"
import { Workspace } from "./harness.ts"

// Notes that the gloss table has not learnt from, each with a question in another language that shares no word with it.
const ASKED: readonly (readonly [note: string, question: string])[] = [
  [
    "Die Testdatenbank wird jeden Morgen aus einem anonymisierten Abzug der Produktion neu befüllt; eigene Datensätze überleben also nur bis zum nächsten Tag.",
    "¿Con qué frecuencia se rellena la base de datos de prueba?",
  ],
  [
    "Tras el susto con el script de borrado, cualquier DELETE masivo en producción lo ejecutan dos personas juntas, nunca una sola.",
    "Wie viele Personen führen das Löschen in der Produktion aus?",
  ],
  [
    "Договор с дата-центром подписан до весны; переезд стоек назначен на майские, ответственный Руслан.",
    "When was the contract with the data center signed, and who is responsible?",
  ],
  [
    "添付ファイルが壊れる不具合は、プロキシがリクエストを途中で切っていたのが原因。上限を上げて解消した。",
    "¿Por qué se rompían los archivos adjuntos?",
  ],
  [
    "통계 쿼리는 읽기 전용 복제본으로만 돌린다. 작년에 마케팅에서 본 서버에 돌렸다가 주문이 20분 멈췄다.",
    "Où faut-il exécuter les requêtes de statistiques ?",
  ],
]

test("a note is found by a question in another language, among notes in English", async () => {
  using space = new Workspace({ "package.json": "{}" })
  const env = { AMAN_EMBEDDINGS_ENCODER: "idle" }
  const notes = [...ASKED.map(([note]) => note), ...readPairs("unseen").map(({ older }) => older)]
  const stdin = notes.map((text) => JSON.stringify({ text })).join("\n")
  await space.json(["remember", "--batch", "-"], { stdin, env })
  await space.json(["memory", "embed"], { env })
  for (const [note, question] of ASKED) {
    const { results } = await space.json(["recall", question], { env })
    expect(results[0].text).toBe(note)
  }
}, 60_000)
