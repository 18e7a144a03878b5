import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

/** A word in lower case, and an identifier that writes it with inner capitals or digits. */
const WORDS = `
  ios IOSVersion
  wifi WiFiManager
  dbus DBusProxy
  vcpu vCPUCount
  kwh kWhTotal
  ipv6 IPv6Socket
  ipv4 IPv4Address
  ebpf eBPFProgram
  youtube YouTubePlayer
  graphql GraphQLSchema
  grpc gRPCServer
  macos macOSRelease
  mtls mTLSConfig
  github GitHubClient
  javascript JavaScriptParser
  typescript TypeScriptCompiler
  mysql MySQLDriver
  postgresql PostgreSQLPool
  pytorch PyTorchModel
  webrtc WebRTCPeer
  latex LaTeXDocument
  nan isNaNValue
  i18n i18nLoader
  l10n l10nCatalog
  a11y a11yChecker
  p2p p2pNode
  oauth OAuthToken
  utf8 utf8Decoder
  sha256 sha256Digest
  base64 base64Encoder
  md5 computeMD5Hash
  k8s k8sDeployment
  ec2 EC2Instance
  s3 S3Bucket
  http2 HTTP2Stream
  x509 X509Certificate
  openssl OpenSSLContext
  gitlab GitLabRunner
  linkedin LinkedInProfile
  paypal PayPalInvoice
  devops DevOpsPipeline
  iphone iPhoneScreen
  mongodb MongoDBCursor
  nosql NoSQLTable
  oauth2 OAuth2Grant
  ieee754 ieee754Rounding
  rabbitmq RabbitMQQueue
  websocket WebSocketFrame
  jquery jQueryPlugin
  uint8 Uint8Buffer
`
const ROWS = WORDS.trim()
  .split("\n")
  .map((line) => line.trim().split(" ") as [word: string, name: string])

/** Plain questions, each with the name that answers it. */
const PLAIN = `
  getUserById | get user by id
  getUserById | user by id
  parse_query_text | parse query
  RetryBackoffTimer | retry backoff
  openWebPage | open page
  addNewRow | add new row
  setXPosition | x position
  MAX_FILE_SIZE | maximum file size
  HTTPServerPool | http server
  readXMLNodes | read xml nodes
  chunk3Merge | chunk merge
  loadConfigFile | load configuration
  hasTwoSides | two sides
  renderMarkdownTable | markdown table
  compressBlock | compress block
  _assertion_supported | _assertion_supported
`
const QUESTIONS = PLAIN.trim()
  .split("\n")
  .map((line) => line.trim().split(" | ") as [name: string, query: string])

const NAMES = [...new Set([...ROWS.map(([, name]) => name), ...QUESTIONS.map(([name]) => name)])]
const fileOf = (name: string) => `f${NAMES.indexOf(name)}.ts`

let space: Workspace
let server: Connection
beforeAll(async () => {
  const files = NAMES.map((name, at) => [fileOf(name), `export const ${name} = ${at + 1000}\n`])
  space = new Workspace({
    ...Object.fromEntries(files),
    "assertion.ts": "export const assertion = (supported: boolean) => supported\n",
  })
  await space.run(["index"])
  server = await connect(space)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  space[Symbol.dispose]()
})

type Found = { readonly results: readonly { readonly path: string }[]; readonly nearest_only?: true }
const found = async (query: string) => (await server.call("search", { query })).structuredContent as Found

test.each(ROWS)("finds %s first by its name %s, as a word", async (word, name) => {
  const { results, nearest_only: isNearest } = await found(word)
  expect(results[0]?.path).toBe(fileOf(name))
  expect(isNearest).toBeUndefined()
})

test.each(QUESTIONS)("still finds %s by: %s", async (name, query) => {
  expect((await found(query)).results[0]?.path).toBe(fileOf(name))
})
