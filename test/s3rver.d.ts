declare module "@20minutes/s3rver" {
  /** An S3 server for tests, which checks signatures and stores objects as files. It has one account: S3RVER, S3RVER. */
  // biome-ignore lint/style/noDefaultExport: it is the package's export
  export default class S3rver {
    constructor(options: {
      readonly address: string
      readonly port: number
      readonly silent: boolean
      readonly directory: string
      readonly configureBuckets: readonly { readonly name: string }[]
    })
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
  }
}
