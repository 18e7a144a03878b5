/** page: the page of `aman ui` (docs/ui.md) and of a team's node (docs/team.md), and its server; the binary contains both. */

export { bundleMap, bundlePage, bundleView } from "./server/page-files.ts"
export type { TeamRepository } from "./server/team-repository.ts"

// Loaded when first needed, so that a command starts fast.
export const loadMapData = () => import("./server/map-data.ts")
export const loadPageFiles = () => import("./server/page-files.ts")
export const loadTeamPage = () => import("./server/team-page.ts")
export const loadServeUi = () => import("./serve-ui.ts")
