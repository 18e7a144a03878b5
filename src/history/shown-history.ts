import { historyOf } from "../git/line-history.ts"
import { maskCredentials } from "../text/secrets/credentials.ts"

/** The commits of `historyOf` in the form in which they may be shown: with `***` for credentials in their messages. */
export async function shownHistoryOf(...asked: Parameters<typeof historyOf>): ReturnType<typeof historyOf> {
  const commits = await historyOf(...asked)
  if (typeof commits === "string") return commits
  return commits.map(({ author, subject, body, ...commit }) => ({
    ...commit,
    author: maskCredentials(author),
    subject: maskCredentials(subject),
    body: maskCredentials(body),
  }))
}
