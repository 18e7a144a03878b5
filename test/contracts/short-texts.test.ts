import { OramaTexts } from "../../src/keyword/orama-texts.ts"
import { CorpusTexts } from "../../src/memory/recall/index/corpus-texts.ts"
import { shortTextContract } from "./short-texts.ts"

shortTextContract("Orama", () => new OramaTexts())
shortTextContract("our postings", () => new CorpusTexts())
