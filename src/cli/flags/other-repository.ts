import { AmanError } from "../../base/errors.ts"
import { TEAM_PREFIX } from "../../team/wire.ts"
import type { Input } from "../command.ts"

/**
 * The value of --repository, or "team:NAME" for --team NAME; undefined if the command is about this project. Throws
 * USAGE if both are given.
 */
export function otherRepository({ flags }: Pick<Input, "flags">): string | undefined {
  const [repository, team] = [flags.text("repository"), flags.text("team")]
  if (repository !== undefined && team !== undefined) {
    throw new AmanError("USAGE", "--team and --repository are two places to look in", {
      hint: "give one of them",
    })
  }
  return team === undefined ? repository : `${TEAM_PREFIX}${team}`
}
