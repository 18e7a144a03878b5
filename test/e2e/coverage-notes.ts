/** Notes used by the calls of docs/coverage.md, by the names that it puts between « and ». */
export const NOTES: Readonly<Record<string, object>> = {
  port: { text: "The development server listens on port 5173.", topic: "server" },
  heap: { text: "The heap is capped at 512 MB.", topic: "server-memory" },
  rumour: { text: "The office moves to the moon.", topic: "rumours" },
  ines: { text: "Ines from the bakery prefers mail.", topic: "clients", entities: ["Ines"] },
  tom: { text: "Tom from the mill calls on Mondays.", topic: "clients" },
  uma: { text: "Uma from the garden pays late.", topic: "clients" },
  shop: {
    text: "The shop shows what is in the cart.",
    topic: "components",
    relations: [
      { from: "shop", type: "depends on", to: "cart" },
      { from: "cart", type: "depends on", to: "Postgres" },
    ],
  },
  cellar: {
    text: "The site is hosted in our cellar.",
    topic: "hosting",
    recorded_at: "2023-12-01",
    valid_from: "2023-12-01",
    valid_until: "2024-06-01",
  },
  hosted: {
    text: "The site is hosted by a provider in Bonn.",
    topic: "hosting",
    recorded_at: "2024-06-01",
    valid_from: "2024-06-01",
  },
  oldqueue: { text: "Jobs wait in RabbitMQ.", topic: "queue" },
  newqueue: { text: "Jobs wait in a table of the database.", topic: "queue-now" },
  plan: { text: "Step one: build.", topic: "plan" },
  jam: { text: "A paper jam is mostly the lower tray.", topic: "printer", tags: ["gotcha"] },
  crossed: { text: "The printer stands next to the kitchen.", topic: "office-life" },
  today: { text: "The stand-up was moved to ten.", topic: "meetings" },
  doomed: { text: "The old coffee machine leaks.", topic: "kitchen" },
  attic: { text: "Boxes with cables are under the roof.", topic: "attic" },
  diary: { text: "Monday: sun.", topic: "diary" },
  colour: { text: "The logo is blue.", topic: "brand" },
  twin: { text: "Alarm tests happen each first Saturday around noon sharp.", topic: "twice" },
  twin2: { text: "Alarm tests happen each first Saturday around noon.", topic: "twice" },
  spelling: { text: "Both spellings of grey are fine.", topic: "misspelt" },
  stream: { text: "Trout live upstream.", topic: "stream" },
  river: { text: "Carps live downstream.", topic: "river" },
  untagged: { text: "The scanner needs the old driver.", topic: "scanner" },
  outgrown: { text: "A timeout waits nine seconds.", topic: "timeouts", source: "src/wait.ts:2" },
}

/** Files of the project in which the notes are stored. */
export const FILES: Readonly<Record<string, string>> = {
  "src/net.ts": "/** Milliseconds. */\nexport function retryLater(): number {\n  return 5173\n}\n",
  "src/job.ts":
    'import { retryLater } from "./net.ts"\n\n/** A job that fails is tried again. */\nexport function runJob(): number {\n  return retryLater() + 1\n}\n',
  "test/job.test.ts": 'import { runJob } from "../src/job.ts"\n\ntest("runs", () => {\n  runJob()\n})\n',
  "docs/lift.md": "# The lift\n\nHow the lift is repaired: call the janitor.\n",
  "src/wait.ts": "export function timeout(): number {\n  return 8\n}\n",
  "office.jsonl":
    '{"text":"The lift is slow","topic":"office"}\n{"text":"The door sticks","topic":"office"}\n',
  "other.jsonl": '{"text":"The oven is shared","topic":"kitchen-rules"}\n',
}

/** Files that are edited after the notes were stored. */
export const EDITED: Readonly<Record<string, string>> = {
  "src/wait.ts": "export function timeout(): number {\n  return 9\n}\n",
}
