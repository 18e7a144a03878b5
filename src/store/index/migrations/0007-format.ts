/**
 * Changes nothing but the schema version, so that an older aman refuses an index of a newer format
 * (INDEX_NEWER). Otherwise the older and the newer aman would rebuild the index in turn. See INDEX_VERSION.
 */
export const raiseFormat = "SELECT 1;"
