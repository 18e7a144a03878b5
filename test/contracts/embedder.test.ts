import { createStaticEmbedder } from "../../src/embed/static.ts"
import { embedderContract } from "./embedder.ts"

embedderContract("static", createStaticEmbedder)
