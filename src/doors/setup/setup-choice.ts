import { AmanError, homeDir, userDataDir, version } from "../../base/index.ts"
import { clientFolders } from "./clients/places.ts"
import type { SetupChoice } from "./setup.ts"

/**
 * The choice of clients, files and program for `aman setup`. Throws USAGE if this aman is not a program that clients
 * could start.
 */
export function setupChoice(
  chosen: Pick<SetupChoice, "clients" | "parts" | "isRemoval" | "project">,
): SetupChoice {
  if (version === "0.0.0-dev") {
    throw new AmanError("USAGE", "aman runs from source, so clients have no program to start", {
      hint: "run: npm run build, then dist/aman setup",
    })
  }
  const { env, platform } = process
  return {
    ...chosen,
    places: clientFolders(env, platform, homeDir()),
    folder: `${userDataDir()}/setup`,
    executable: process.execPath,
    env,
    platform,
  }
}
