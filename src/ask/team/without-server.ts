import { AmanError } from "../../base/index.ts"
import { type ContextBundle, type ContextRequest, fitBundle } from "../../context/index.ts"
import { TeamUnreachable, unlessNoProject } from "../../index/index.ts"
import { loadTokenizer } from "../../text/index.ts"

/** The notice of an answer from this machine that replaces the team's. */
export function notAskedNotice({ message }: TeamUnreachable): string {
  return `the team was not asked: ${message}; this answer is from this machine alone`
}

/**
 * The answer of `team`; if its server is unreachable, that of `here` about this project, which adds the notice that it
 * is given. Throws the server's error outside of projects; an error of `here` has the notice in its message.
 */
export async function orThisProject<T>(
  team: () => Promise<T>,
  here: (notice: string) => Promise<T>,
): Promise<T> {
  const answer = await team().catch((error: unknown) => {
    if (error instanceof TeamUnreachable) return error
    throw error
  })
  if (!(answer instanceof TeamUnreachable)) return answer
  const notice = notAskedNotice(answer)
  const local = await unlessNoProject(null, async () => ({ answer: await here(notice) })).catch(
    (error: unknown) => {
      throw noticedError(error, notice)
    },
  )
  if (local !== null) return local.answer
  throw new AmanError("TEAM", answer.message, {
    hint: "there is no project here to ask instead: start aman inside one, or ask your clones with --repository",
    cause: answer,
  })
}

/** The error with the notice in its message; one that is no AmanError unchanged. */
export function noticedError(error: unknown, notice: string): unknown {
  if (!(error instanceof AmanError)) return error
  const { code, message, hint, isUnknownName } = error
  const options = { isUnknownName, cause: error, ...(hint === undefined ? {} : { hint }) }
  return new AmanError(code, `${message}; ${notice}`, options)
}

/** The answer with the notice before its own. */
export function withNotice<T extends { readonly notices: readonly string[] }>(answer: T, notice: string): T {
  return { ...answer, notices: [notice, ...answer.notices] }
}

/** The context that `ask` returns, with the notice as its first hint, within the token budget of the request. */
export async function contextWithNotice(
  request: ContextRequest,
  notice: string,
  ask: (request: ContextRequest) => Promise<ContextBundle>,
): Promise<ContextBundle> {
  const count = await loadTokenizer()
  const reserved = count(`${JSON.stringify(notice)},`) + 1
  const bundle = await ask({ ...request, maxTokens: request.maxTokens - reserved })
  return fitBundle({ ...bundle, hints: [notice, ...bundle.hints] }, request.maxTokens, count)
}
