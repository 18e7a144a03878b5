/**
 * text: which words are in this text, and what must not leave it?
 *
 * Words: a term is a lightly stemmed word; an identifier gives its parts and itself (its compound). A document is a file
 * of an office program, read in a process of its own. A secret is text that looks like a credential; `secrets` removes
 * it before anything is stored.
 *
 * One tokenizer serves indexing and questions: both sides must change together, with INDEX_VERSION (index) and
 * ANALYSIS_VERSION (memory).
 */

export { DOCUMENT_LIMITS, type DocumentBudget, isDocument } from "./documents/document-text.ts"
export { type OwnProcess, startOwnProcess } from "./documents/own-process.ts"
export { isSvg } from "./documents/svg-file.ts"
export { cutAt, DATA_NOTICE, fenced, inline, oneLine } from "./fence.ts"
export { encodingNamed } from "./files/encoding.ts"
export {
  contentHash,
  decodeText,
  type IndexedTexts,
  isNotebook,
  type LineRange,
  lineRange,
  maxBytesOf,
  packedTrees,
  readAsWritten,
  readDocument,
  readLines,
  readSource,
  type SourceText,
  type Unreadable,
} from "./files/read-source.ts"
export { glossOf } from "./gloss.ts"
export {
  CredentialError,
  findCredential,
  findCredentialIn,
  maskCredentials,
  refuseCredential,
  refuseCredentialIn,
} from "./secrets/credentials.ts"
export { isSecretFile, isSecretFolder, isSecretPath, isSecretText } from "./secrets/secret-paths.ts"
export { compoundOf, termOf } from "./terms/abbreviations.ts"
export { BLOCK_LINES, WordCounter, type WordCounts } from "./terms/count-words.ts"
export { hashTerm } from "./terms/hash.ts"
export { splitIdentifier, words } from "./terms/identifiers.ts"
export { type NamedLine, namedLines } from "./terms/named-lines.ts"
export { type FolderWords, type PathWords, pathWords, pathWordsOf, stemName } from "./terms/path-words.ts"
export {
  MAX_QUERY_TERMS,
  type Passage,
  type QueryWord,
  queryTerms,
  wordsLeftOut,
} from "./terms/query-terms.ts"
export { sentenceSpans, type TextSpan } from "./terms/sentences.ts"
export { stem } from "./terms/stem.ts"
export { contentWords, isFunctionWord, isSmallTalk, STOP_WORDS } from "./terms/stop-words.ts"
export { clearTerms, createTermBuffer, type TermBuffer } from "./terms/term-buffer.ts"
export { MAX_IDENTIFIER_LENGTH, tokenize } from "./terms/tokenize.ts"
export { ASCII, folded, isUnspaced, loneCharacters, UNSPACED_CLASS, unicodeWords } from "./terms/unicode.ts"
export { charactersIn, countTokens, tokensIn } from "./token-count.ts"
export { type CountTokens, loadTokenizer } from "./tokenizer.ts"

// Loaded when first needed, so that a command starts fast.
export const loadDocumentProcess = () => import("./documents/document-process.ts")
export const loadTokenizerModule = () => import("./tokenizer.ts")
