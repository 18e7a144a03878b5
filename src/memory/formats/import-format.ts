import { type FrontMatterPage, readPage } from "./front-matter.ts"
import type { Imported, SourceFile } from "./imported.ts"
import { isObject, type JsonObject, parseJson } from "./json-value.ts"

/** A format of files that can be imported. */
export interface ImportFormat {
  /** Name of the format in `--format` and in answers. */
  readonly name: string
  /** True when the sample is of this format, judging by its content and then by its file name. */
  readonly detects: (sample: Sample) => boolean
}

/** A format of another tool, or plain notes. */
export interface ForeignFormat extends ImportFormat {
  /** The content of one file; `all` are the files of this format in the same import. */
  readonly read: (file: SourceFile, all: readonly SourceFile[]) => Imported
}

/** A file whose format is to be detected. Each property is computed when it is first needed. */
export class Sample {
  readonly file: SourceFile
  /** The text without leading white space. */
  readonly text: string
  /** True when the text begins as a JSON object or list does. */
  readonly isJson: boolean
  #whole: { readonly value: unknown } | null = null
  #firstLine: { readonly value: unknown } | null = null
  #page: FrontMatterPage | null = null

  constructor(file: SourceFile) {
    this.file = file
    this.text = file.text.trimStart()
    this.isJson = /^[{[]/.test(this.text)
  }

  /** The whole text parsed as JSON; undefined when it is not JSON. */
  get whole(): unknown {
    this.#whole ??= { value: this.isJson ? parseJson(this.text) : undefined }
    return this.#whole.value
  }

  /** The first line parsed as JSON; undefined when it is not JSON. */
  get firstLine(): unknown {
    const end = this.text.indexOf("\n")
    this.#firstLine ??= {
      value: this.isJson ? parseJson(end < 0 ? this.text : this.text.slice(0, end)) : undefined,
    }
    return this.#firstLine.value
  }

  /** The first line when it is a JSON object, else an empty object. */
  get firstObject(): JsonObject {
    return isObject(this.firstLine) ? this.firstLine : {}
  }

  /** The text as a Markdown page with its front matter. */
  get page(): FrontMatterPage {
    this.#page ??= readPage(this.file.text)
    return this.#page
  }
}
