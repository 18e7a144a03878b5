import { expect, test } from "bun:test"
import { clausesOf } from "./clauses.ts"
import { readSentence } from "./sentences.ts"

test.each([
  "We do not use Redis at all.",
  "Tokens are not stored at all.",
  "The job never fails.",
  "The job never stops.",
  "Ctrl-C cannot stop the server.",
  "Retries cannot help here.",
  "Answers are 'not' cached.",
  "Answers are `not` `cached`.",
  "-Never retry payments by the worker.",
  "Since the '90s rewrite tokens are never kept in the browsers' session.",
])("denies: %s", (sentence) => {
  expect(clausesOf(readSentence(sentence)).map(({ denies }) => denies)).toEqual([true])
})

test.each([
  "We do not use all of Redis.",
  "I can't wait to use Redis.",
  "I can't help smiling at the logs.",
  "I can't help but smile at the logs.",
  "I can't stop reading the logs.",
  "The job never fails to start.",
  "The job never stops polling.",
  "Never forget the tokens.",
  "ResetAuthor amends with --no-edit.",
  "The first fetch shows the 'no automatic fetch' popup.",
  "The job prints `never restarted`.",
  "The page says '404 not found'.",
])("denies nothing: %s", (sentence) => {
  expect(clausesOf(readSentence(sentence)).some(({ denies }) => denies)).toBe(false)
})

test.each([
  ["I deploy on Fridays.", true],
  ["My laptop runs the tests.", true],
  ["We deploy to us-east-1.", false],
  ["The US region is the default.", false],
  ["I/O is done by one thread.", false],
  ["The loop counts i from zero.", false],
])("of whoever says it: %s %p", (sentence, isFirstPerson) => {
  expect(clausesOf(readSentence(sentence)).map((clause) => clause.isFirstPerson)).toEqual([isFirstPerson])
})

test("direct speech and a possessive apostrophe are no quotation", () => {
  const denying = (text: string) => clausesOf(readSentence(text)).some(({ denies }) => denies)
  expect(denying("The users' tokens aren't in the servers' stores.")).toBe(true)
  expect(denying('Ana said "we do not use Redis".')).toBe(true)
})

test("the denied word is not an adverb", () => {
  const denied = (text: string) => clausesOf(readSentence(text)).map(({ predicate }) => predicate)
  expect(denied("Uploads are not automatically retried.")).toEqual(denied("Uploads are not retried."))
  expect(denied("Rules do not apply here.")).toEqual(denied("Rules do not apply."))
})
