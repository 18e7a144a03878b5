import { expect, test } from "bun:test"
import { agentHint } from "./agent-hint.ts"

test.each([
  ["run: aman memory list", 'run: knowledge {"action":"list"}'],
  ["run: aman memory restore 01ab", 'run: knowledge {"action":"restore","ids":["01ab"]}'],
  [
    'to make one of both: aman memory merge "a b" "c\\"d"',
    'to make one of both: knowledge {"action":"merge","from":"a b","into":"c\\"d"}',
  ],
  ['run: aman memory related "api"', 'run: knowledge {"action":"related","entity":"api"}'],
  ["aman projects list names them", "projects names them"],
  ["run: aman index", "the server indexes by itself: ask again shortly, or call status"],
  ["run: aman repos sync owner/name", 'run: repositories {"action":"sync","repository":"owner/name"}'],
  [
    "it is tried again at the next sync; aman repos sync tries at once",
    'it is tried again at the next sync; repositories {"action":"sync"} tries at once',
  ],
  ["for example: aman symbol parseConfig", 'for example: symbol {"name":"parseConfig"}'],
  ["aman config set repos.enabled true", "aman config set repos.enabled true"],
])("%s", (hint, expected) => {
  expect(agentHint(hint)).toBe(expected)
})
