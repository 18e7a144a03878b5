/** page: the page of `aman ui` and its server (docs/ui.md); the binary contains both. */

export { bundleMap, bundlePage, bundleView } from "./server/page-files.ts"

// Loaded when first needed, so that a command starts fast.
export const loadMapData = () => import("./server/map-data.ts")
export const loadPageFiles = () => import("./server/page-files.ts")
export const loadServeUi = () => import("./serve-ui.ts")
