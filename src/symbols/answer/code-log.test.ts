import { expect, test } from "bun:test"
import { pullRequestsIn } from "./code-log.ts"

test.each([
  ["Fix retries (#42)", "", ["#42"]],
  ["Merge pull request #7 from shop/retries", "Fix retries", ["#7"]],
  ["Merge branch 'a' into 'main'", "Fix\n\nSee merge request group/shop!45", ["!45"]],
  ["Merged in retries (pull request #12)", "", ["#12"]],
  ["Merged PR 123: Fix retries", "", ["#123"]],
  ["deps: update", "PR-URL: https://github.com/nodejs/node/pull/99", ["#99"]],
  ["Fix #42", "Closes #43, see (#44) too", []],
  ["Release 2.1 (#5) (#6)", "", ["#6"]],
])("%s, %j: %j", (subject, body, found) => {
  expect(pullRequestsIn({ subject, body })).toEqual(found)
})
