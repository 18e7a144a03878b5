import { z } from "zod"

/** `partial` of an answer. */
export const INDEX_SHARE = z
  .looseObject({
    done: z.number(),
    total: z.number(),
    share: z.number(),
    is_stopped: z.literal(true).optional().describe("Nothing is being added to it: the notices say why"),
  })
  .nullable()
  .describe("How much is indexed so far; null when all is")
