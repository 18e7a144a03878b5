import { expect, test } from "bun:test"
import { isAboutOtherCode } from "./estimate.ts"
import type { Statement } from "./statement.ts"

const statement = (sentence: string) => ({ sentence, replaces: /\bnow\b/.test(sentence) }) as Statement
const isOther = (older: string, newer: string) => isAboutOtherCode(statement(older), statement(newer))

test.each([
  ["src/api/user.ts#create is a stub for now", "src/api/order.ts#create is a stub for now"],
  ["Stub: src/a.ts#load returns null", "Stub: src/b.ts#save returns undefined"],
  ["TODO in lib/x.py#foo: not implemented", "TODO in lib/x.py#bar: not implemented"],
  ["A stub is left in src/a.ts#load", "A stub is left in src/b.ts#save."],
  ["Tests in test/a.test.ts are slow", "Tests in test/b.test.ts are slow"],
])("%p and %p are about different places", (older, newer) => expect(isOther(older, newer)).toBe(true))

test.each([
  ["src/cache.ts#ttl is 60 seconds", "src/cache.ts#ttl is 90 seconds"],
  ["src/old/a.ts#load returns null", "src/new/a.ts#load returns an empty list"],
  ["Use src/http.ts#fetchJson for requests", "Use src/http.ts#getJson for requests"],
  ["The entry point is src/main.ts#run", "The entry point is src/main.ts#start"],
  ["Settings from config/a.yaml are loaded", "Settings from config/b.yaml are loaded"],
  ["src/a.ts handles the login", "src/b.ts handles the login now"],
  ["Node.js 20 is required", "Node.js 22 is required"],
])("%p and %p may be about one thing", (older, newer) => expect(isOther(older, newer)).toBe(false))
