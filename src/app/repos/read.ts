import { AmanError } from "../../base/errors.ts"
import type { ReadAnswer } from "../answers.ts"
import { type ReadRequest, readFile } from "../read-file.ts"
import { chooseRepository } from "./choose.ts"
import type { Configured } from "./configured.ts"
import type { OpenClone } from "./search.ts"

/** A file of another repository, or some of its lines; nothing outside of its clone, links followed. */
export async function readRepositoryFile(
  configured: Configured,
  wanted: string,
  request: ReadRequest,
  open: OpenClone,
): Promise<ReadAnswer> {
  const repository = chooseRepository(configured, wanted)
  const { name } = repository
  const project = open(repository)
  if (project === null) {
    throw new AmanError("NOT_FOUND", `${name} has not been cloned yet`, {
      hint: `run: aman repos sync ${name}`,
    })
  }
  try {
    return { repository: name, ...(await readFile(project, request)) }
  } catch (error) {
    throw error instanceof AmanError ? inRepository(error, name, request) : error
  }
}

/** The same in the words of who asked: no folder of ours is named, and settings of ours are. */
function inRepository(error: AmanError, name: string, { path }: ReadRequest): AmanError {
  const { code, cause } = error
  const quoted = JSON.stringify(path)
  if (code === "NOT_FOUND") {
    return new AmanError(code, `no file ${quoted} in ${name}`, {
      hint: "paths are relative to the top of the repository, as search gives them",
      cause,
    })
  }
  if (code === "OUTSIDE_ROOT" && error.message.endsWith("is outside the project")) {
    return new AmanError(code, `${quoted} is outside the repository ${name}`, {
      hint: "name a path relative to its top, without ..",
      cause,
    })
  }
  const hint = error.hint?.replace("AMAN_MAX_FILE_SIZE", "AMAN_REPOS_MAX_FILE_SIZE")
  return new AmanError(code, `${name}: ${error.message}`, { ...(hint === undefined ? {} : { hint }), cause })
}
