/** Prefixes that a model expects before a text, taken from the model cards; Ollama does not add them. */
export type Prompts = { readonly query: string; readonly document: string }

/** Models used automatically when installed, best first. */
export const PREFERRED_MODELS = ["qwen3-embedding", "nomic-embed-text", "embeddinggemma", "bge-m3"] as const

const NONE: Prompts = { query: "", document: "" }
const PASSAGES = "Represent this sentence for searching relevant passages: "

/** Prompts by the beginning of the model's name; the first match counts. */
const KNOWN: readonly (readonly [string, Prompts])[] = [
  // https://huggingface.co/Qwen/Qwen3-Embedding-0.6B: an instruction for queries, nothing for documents.
  [
    "qwen3-embedding",
    {
      query:
        "Instruct: Given a question about a project, retrieve the source code or documentation that answers it\nQuery: ",
      document: "",
    },
  ],
  // https://huggingface.co/nomic-ai/nomic-embed-code
  ["nomic-embed-code", { query: "Represent this query for searching relevant code: ", document: "" }],
  // https://huggingface.co/nomic-ai/nomic-embed-text-v1.5, -v2-moe
  ["nomic-embed-text", { query: "search_query: ", document: "search_document: " }],
  // https://ai.google.dev/gemma/docs/embeddinggemma/model_card
  ["embeddinggemma", { query: "task: code retrieval | query: ", document: "title: none | text: " }],
  // https://huggingface.co/mixedbread-ai/mxbai-embed-large-v1
  ["mxbai-embed", { query: PASSAGES, document: "" }],
  // https://huggingface.co/Snowflake/snowflake-arctic-embed-l-v2.0, and the first version
  ["snowflake-arctic-embed2", { query: "query: ", document: "" }],
  ["snowflake-arctic-embed", { query: PASSAGES, document: "" }],
  // https://huggingface.co/BAAI/bge-m3: no prompt; the earlier English models have one.
  ["bge-m3", NONE],
  ["bge-", { query: PASSAGES, document: "" }],
  // https://huggingface.co/intfloat/multilingual-e5-large
  ["multilingual-e5", { query: "query: ", document: "passage: " }],
  ["e5-", { query: "query: ", document: "passage: " }],
]

/** "user/nomic-embed-text:v1.5" → "nomic-embed-text". */
export function familyOf(model: string): string {
  return model.toLowerCase().split("/").at(-1)!.split(":")[0]!
}

export function promptsOf(model: string): Prompts {
  const family = familyOf(model)
  return KNOWN.find(([beginning]) => family.startsWith(beginning))?.[1] ?? NONE
}
