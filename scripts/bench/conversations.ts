import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { settle } from "../../src/memory/conflicts/settle.ts"
import { RecallIndex } from "../../src/memory/recall/index/recall-index.ts"
import { PLAIN_DOCUMENT } from "../../test/recall-document.ts"
import { noteOf } from "../../test/truth-pairs.ts"
import { type Fact, generateConversation } from "../updates/conversations.ts"
import { fts5Engine } from "./knowledge-baselines.ts"
import type { Note, Question } from "./knowledge-data.ts"
import { type Asked, askAll, type Engine, meanReciprocalRank, recallAt, UNMARKED } from "./knowledge-score.ts"
import type { Table } from "./table.ts"

export type Conversation = { readonly notes: readonly Note[]; readonly questions: readonly Question[] }

/** Messages found for questions about long conversations: the generated ones, and the public sets that are at hand. */
export async function conversationsTable(
  folder: string | null,
  note: (line: string) => void,
): Promise<Table> {
  const rows: (readonly (string | number | null)[])[] = []
  for (const { name, conversations } of [generatedSet(), ...publicSets(folder)]) {
    note(`conversations: ${name} …`)
    const aman: Asked[] = []
    const bm25: Asked[] = []
    for (const { notes, questions } of conversations) {
      aman.push(...(await askAll(await recallEngine(notes), questions)))
      bm25.push(...(await askAll(fts5Engine(notes, "OR"), questions)))
    }
    for (const [engine, asked] of [["aman", aman] as const, ["BM25 (FTS5)", bm25] as const])
      rows.push([
        `${name}, ${engine}`,
        asked.length,
        recallAt(asked, 5),
        recallAt(asked, 10),
        meanReciprocalRank(asked),
        firstOfUpdates(asked),
      ])
  }
  return {
    title: "Messages of long conversations",
    columns: [
      { name: "" },
      { name: "questions", digits: 0 },
      ...["recall@5", "recall@10", "MRR", "newer fact first"].map((name) => ({ name, digits: 3 })),
    ],
    rows,
    notes: [
      "newer fact first: of the questions about something that changed, the share whose first result has the newer value.",
      ...(folder === null
        ? ["public sets: --conversations DIR (scripts/bench/conversations.ts says how it is laid out)"]
        : []),
    ],
  }
}

type ConversationSet = { readonly name: string; readonly conversations: readonly Conversation[] }

/** The ranking and order of `recall`, without a store: sets have equal messages, which a store keeps once. */
async function recallEngine(notes: readonly Note[]): Promise<Engine> {
  const index = new RecallIndex()
  await index.upsert(
    notes.map(
      ({ ref, text, topic, recorded_at, author = null, role = null, session = null, ordinal = null }) => {
        const fields = { text, topic, author, role, session, ordinal }
        return { ...PLAIN_DOCUMENT, ...fields, id: ref, kind: "episodic", recordedAt: recorded_at }
      },
    ),
  )
  const byRef = new Map(notes.map((each) => [each.ref, each]))
  return {
    name: "aman",
    ask: async ({ question }) => {
      const started = performance.now()
      const { hits, confidence } = await index.search(question, { limit: 10 })
      const found = hits.map((hit) => {
        const {
          ref,
          text,
          recorded_at,
          author = null,
          role = null,
          session = null,
          ordinal = null,
        } = byRef.get(hit.document.id)!
        return { ...hit, entry: noteOf(ref, text, recorded_at, { author, role, session, ordinal }) }
      })
      const at = "2100-01-01T00:00:00.000Z"
      const settled = settle(question, found, { at, rarity: (word) => index.rarity(word) })
      const refs = settled.map(({ hit }) => hit.entry.id)
      return { ...UNMARKED, refs, confidence, tookMs: performance.now() - started }
    },
  }
}

function firstOfUpdates(asked: readonly Asked[]): number | null {
  const updates = asked.filter(({ question }) => question.kind === "updated")
  const right = updates.filter(({ question, answered }) => question.answers.includes(answered.refs[0] ?? ""))
  return updates.length === 0 ? null : right.length / updates.length
}

const GENERATED = 40
/** Seed of the first generated conversation; scripts/updates.ts fits on smaller seeds. */
const FIRST_SEED = 101

/** Conversations by rules, for development: the same ones in every run. Each joins two generated ones. */
export function generatedSet(): ConversationSet {
  const conversations = Array.from({ length: GENERATED }, (_, i) => {
    const [first, second] = [generated(FIRST_SEED + 2 * i), generated(FIRST_SEED + 2 * i + 1)]
    const notes = [...first.notes, ...second.notes]
    return {
      notes: notes.sort((a, b) => (a.recorded_at < b.recorded_at ? -1 : 1)),
      // A subject of both conversations has two stories, so that no question about it has a single answer.
      questions: [
        ...first.asked.filter(({ about }) => !second.told.has(about)),
        ...second.asked.filter(({ about }) => !first.told.has(about)),
      ].map(({ question }) => question),
    }
  })
  return { name: `${GENERATED} generated`, conversations }
}

type Generated = {
  readonly notes: readonly Note[]
  readonly asked: readonly { readonly question: Question; readonly about: string }[]
  /** Subjects whose attributes the conversation mentions. */
  readonly told: ReadonlySet<string>
}

function generated(seed: number): Generated {
  const { entries, questions } = generateConversation(seed)
  const aboutOf = ({ subject, attribute }: Pick<Fact, "subject" | "attribute">) =>
    JSON.stringify([subject, attribute])
  const notes = entries.map(({ id, text, recordedAt, session, ordinal }) => ({
    ...{ ref: `${seed}/${id}`, text, topic: "conversation", entities: [], recorded_at: recordedAt },
    ...(session === null ? {} : { session: `${seed}/${session}`, ordinal: ordinal! }),
  }))
  const asked = questions.flatMap((each) => {
    const about = aboutOf(each)
    const stated = entries.filter(
      ({ fact }) => fact !== null && fact.value !== null && aboutOf(fact) === about,
    )
    const last = stated.at(-1)?.fact?.value
    const wanted = stated.filter(({ fact }) => (fact!.value === last) !== each.asksPast)
    if (wanted.length === 0) return []
    const refs = (some: typeof stated) => some.map(({ id }) => `${seed}/${id}`)
    const older = refs(stated.filter((entry) => !wanted.includes(entry)))
    const kind = each.asksPast ? "temporal" : older.length > 0 ? "updated" : "paraphrase"
    const question: Question = { question: each.text, kind, answers: refs(wanted), older }
    return [{ question, about }]
  })
  return {
    notes,
    asked,
    told: new Set(entries.flatMap(({ fact }) => (fact === null ? [] : [aboutOf(fact)]))),
  }
}

/**
 * The public sets in a folder, which somebody else has put there: `locomo/*.json` (its file of ten conversations, or one
 * file each), `realtalk/*.json`, and `beam/SIZE/N/chat.json` with `q.json`, the chat's probing questions.
 */
export function publicSets(folder: string | null): ConversationSet[] {
  if (folder === null) return []
  const spoken = (name: string) =>
    filesIn(join(folder, name)).flatMap((file) => [readJson(join(folder, name, file))].flat() as Json[])
  const sizes = filesIn(join(folder, "beam"))
  return [
    {
      name: "LoCoMo",
      conversations: spoken("locomo").map((each) =>
        spokenConversation(each, (each["conversation"] ?? each) as Json),
      ),
    },
    { name: "REALTALK", conversations: spoken("realtalk").map((each) => spokenConversation(each, each)) },
    ...sizes.map((size) => ({
      name: `BEAM ${size}, users' messages`,
      conversations: beamConversations(join(folder, "beam", size)),
    })),
  ].filter(({ conversations }) => conversations.length > 0)
}

type Json = { readonly [name: string]: unknown }

function filesIn(folder: string): string[] {
  return existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder).sort() : []
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8"))
}

/** LoCoMo and REALTALK: sessions of turns by two people; evidence names turns as «D3:12». */
function spokenConversation({ qa }: Json, sessions: Json): Conversation {
  const names = Object.keys(sessions).filter((name) => /^session_\d+$/.test(name))
  const numberOf = (name: string) => Number(name.slice("session_".length))
  const notes = names
    .sort((a, b) => numberOf(a) - numberOf(b))
    .flatMap((session) =>
      (sessions[session] as Json[]).flatMap((turn, i): Note[] => {
        const picture = turn["blip_caption"] === undefined ? "" : ` [picture: ${turn["blip_caption"]}]`
        const text = `${turn["clean_text"] ?? turn["text"] ?? ""}${picture}`.trim()
        const time = `${turn["date_time"] ?? sessions[`${session}_date_time`]}`
        const fields = { topic: "conversation", entities: [], recorded_at: timeOf(time) }
        const said = { author: `${turn["speaker"]}`, role: "person" as const, session, ordinal: i + 1 }
        return text === "" ? [] : [{ ref: `${turn["dia_id"]}`, text, ...fields, ...said }]
      }),
    )
  const known = new Set(notes.map(({ ref }) => ref))
  const questions = (qa as Json[]).map(({ question, evidence }): Question => {
    const named = JSON.stringify(evidence ?? []).match(/D\d+:\d+/g) ?? []
    const answers = named.map((each) => each.replace(/:0+(\d)/, ":$1")).filter((each) => known.has(each))
    return { question: `${question}`, kind: "paraphrase", answers }
  })
  return { notes, questions: questions.filter(({ answers }) => answers.length > 0) }
}

const BEAM_KINDS = [
  ...["contradiction_resolution", "event_ordering", "information_extraction", "knowledge_update"],
  ...["multi_session_reasoning", "temporal_reasoning"],
]

function beamConversations(folder: string): Conversation[] {
  return filesIn(folder)
    .filter((chat) => existsSync(join(folder, chat, "q.json")))
    .map((chat) => {
      let time = ""
      const notes = (readJson(join(folder, chat, "chat.json")) as Json[]).flatMap((batch) =>
        (batch["turns"] as Json[][]).flat().flatMap((message, i): Note[] => {
          if (typeof message["time_anchor"] === "string") time = timeOf(message["time_anchor"])
          if (message["role"] !== "user") return []
          const text = `${message["content"]}`.replace(/\s*->->.*$/s, "")
          const fields = { topic: "conversation", entities: [], recorded_at: time, role: "person" as const }
          return [
            {
              ref: `${message["id"]}`,
              text,
              ...fields,
              session: `batch ${batch["batch_number"]}`,
              ordinal: i + 1,
            },
          ]
        }),
      )
      const known = new Set(notes.map(({ ref }) => ref))
      const asked = readJson(join(folder, chat, "q.json")) as Readonly<Record<string, Json[]>>
      const questions = BEAM_KINDS.flatMap((kind) =>
        (asked[kind] ?? []).map((each) => beamQuestion(kind, each, known)),
      )
      return { notes, questions: questions.filter(({ answers }) => answers.length > 0) }
    })
}

function beamQuestion(
  kind: string,
  { question, source_chat_ids: sources }: Json,
  known: ReadonlySet<string>,
): Question {
  const idsIn = (value: unknown): string[] =>
    typeof value === "object" && value !== null
      ? Object.values(value).flatMap(idsIn)
      : value === undefined
        ? []
        : [`${value}`]
  const updated = kind === "knowledge_update" ? idsIn((sources as Json | null)?.["updated_info"]) : []
  const answers = (updated.length > 0 ? updated : idsIn(sources)).filter((id) => known.has(id))
  return {
    question: `${question}`,
    kind: updated.length > 0 ? "updated" : "paraphrase",
    answers: [...new Set(answers)],
  }
}

/** The instant of «1:56 pm on 8 May, 2023», «29.12.2023, 22:42:04», «March-15-2024» or an ISO time, as UTC. */
export function timeOf(text: string): string {
  const clock = /(\d+):(\d+) (am|pm) on (\d+ \w+),? (\d+)/.exec(text)
  if (clock !== null) {
    const [, hour, minute, half, day, year] = clock
    return new Date(
      `${day} ${year} ${(Number(hour) % 12) + (half === "pm" ? 12 : 0)}:${minute} UTC`,
    ).toISOString()
  }
  const dotted = /(\d+)\.(\d+)\.(\d+), (\d+):(\d+):(\d+)/.exec(text)?.slice(1).map(Number)
  if (dotted !== undefined) {
    const [day, month, year, hour, minute, second] = dotted as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    return new Date(Date.UTC(year, month - 1, day, hour, minute, second)).toISOString()
  }
  const dashed = /([A-Za-z]+)-(\d+)-(\d+)/.exec(text)
  return new Date(dashed === null ? text : `${dashed[2]} ${dashed[1]} ${dashed[3]} UTC`).toISOString()
}
