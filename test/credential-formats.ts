/**
 * Invented credentials of many issuers, one per format. They are assembled here from pieces, so that no
 * secret scanner reports this file. The characters come from a fixed sequence.
 */
export function credentialFormats(seed = 20260101): readonly (readonly [format: string, secret: string])[] {
  const next = sequence(seed)
  const from = (alphabet: string) => (length: number) =>
    Array.from({ length }, () => alphabet[next() % alphabet.length]).join("")
  const lower = "abcdefghjkmnpqrstuvwxyz"
  const any = mixed(from(`${lower}${lower.toUpperCase()}0123456789`))
  const hex = mixed(from("0123456789abcdef"))
  const upper = mixed(from(`${lower.toUpperCase()}234567`))
  const small = mixed(from(`${lower}0123456789`))
  const base58 = mixed(from("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"))
  const bare = (length: number) => `w${any(length - 4)}J4k`
  const base64 = (text: string) => Buffer.from(text).toString("base64")
  const uuid = () => [hex(8), hex(4), `4${hex(3)}`, `a${hex(3)}`, hex(12)].join("-")
  const of = (...parts: string[]) => parts.join("")
  const pem = (kind: string) =>
    of("-----BEGIN ", kind, "PRIV", "ATE KEY-----\n", any(64), "\n", any(64), "\n")
  const jwtHead = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString("base64url")
  const jwtBody = Buffer.from('{"sub":"42","name":"Ann"}').toString("base64url")

  return [
    ["AWS access key id", of("AK", "IA", upper(16))],
    ["AWS temporary key id", of("AS", "IA", upper(16))],
    ["AWS secret key", of("aws_secret", "_access_key = ", any(38), "/K")],
    ["Google API key", of("AI", "za", any(35))],
    ["Google OAuth secret", of("GOC", "SPX-", any(28))],
    ["Google refresh token", of("1/", "/0", any(44))],
    [
      "Google service account",
      of('{"type": "service_account", "private_key": "', pem("").replaceAll("\n", "\\n"), '"}'),
    ],
    ["Azure storage key", of("Account", "Key=", any(86), "==")],
    ["Azure client secret", of(any(3), "8Q~", any(34))],
    [
      "Azure shared access signature",
      of("https://x.blob.core.windows.net/c?sv=2024-01-01&sp=r&", "sig=", any(43), "%3D"),
    ],
    ["Azure DevOps token", of(any(76), "AZ", "DO", any(4))],
    ["Alibaba Cloud key", of("LT", "AI5t", any(16))],
    ["DigitalOcean token", of("do", "p_v1_", hex(64))],
    ["Cloudflare API token by name", of("CLOUDFLARE_API", "_TOKEN=", any(40))],
    ["Cloudflare origin key", of("v1", ".0-", hex(24), "-", hex(146))],
    ["Heroku key", of("HEROKU_API", "_KEY=", uuid())],
    ["Heroku key, newer", of("HR", "KU-AA", any(58))],
    ["Netlify token", of("nf", "p_", any(40))],
    ["Supabase token", of("sb", "p_", hex(40))],
    ["PlanetScale password", of("pscale", "_pw_", any(43))],
    ["Databricks token", of("da", "pi", hex(32))],
    ["Terraform Cloud token", of(any(14), ".atlas", "v1.", any(67))],
    ["Pulumi token", of("pu", "l-", hex(40))],
    ["HashiCorp Vault token", of("hv", "s.", any(90))],
    ["Doppler token", of("dp", ".pt.", any(43))],
    ["Tailscale key", of("ts", "key-auth-", any(12), "-", any(32))],
    ["GitHub token", of("gh", "p_", any(36))],
    ["GitHub app token", of("gh", "s_", any(36))],
    ["GitHub fine-grained token", of("github", "_pat_", any(22), "_", any(59))],
    ["GitLab token", of("glp", "at-", any(20))],
    ["GitLab runner token", of("GR", "1348941", any(20))],
    ["Bitbucket token", of("AT", "BB", any(32))],
    ["Atlassian token", of("AT", "ATT3xFfGF0", any(120))],
    ["npm token", of("np", "m_", any(36))],
    ["npm token in .npmrc", of("//registry.npmjs.org/:_auth", "Token=", uuid())],
    ["PyPI token", of("pyp", "i-AgEIcHlwaS5vcmc", any(90))],
    ["RubyGems key", of("rubygems", "_", hex(48))],
    ["crates.io token", of("ci", "o", any(32))],
    ["NuGet key", of("oy", "2", small(43))],
    ["Docker Hub token", of("dckr", "_pat_", any(27))],
    ["CircleCI token", of("CCI", "PAT_", any(22), "_", hex(40))],
    ["SonarQube token", of("sq", "p_", hex(40))],
    ["OpenAI key", of("sk-", "proj-", any(74))],
    ["OpenAI key, older", of("sk-", any(20), "T3Blbk", "FJ", any(20))],
    ["Anthropic key", of("sk-", "ant-api03-", any(93), "AA")],
    ["OpenRouter key", of("sk-", "or-v1-", hex(64))],
    ["Groq key", of("gs", "k_", any(52))],
    ["xAI key", of("xa", "i-", any(80))],
    ["Hugging Face token", of("h", "f_", any(34))],
    ["Replicate token", of("r", "8_", any(37))],
    ["Pinecone key", of("pc", "sk_", any(60))],
    ["LangSmith key", of("lsv", "2_pt_", hex(32), "_", hex(10))],
    ["Slack bot token", of("xo", "xb-2345678901-2345678901-", any(24))],
    ["Slack app token", of("xa", "pp-1-A", any(10), "-2345678901-", hex(64))],
    ["Slack webhook", of("https://hooks.sl", "ack.com/services/T", upper(8), "/B", upper(8), "/", any(24))],
    ["Discord bot token", of("M", any(23), ".", any(6), ".", any(38))],
    ["Discord webhook", of("https://discord", ".com/api/webhooks/234567890234567890/", any(68))],
    ["Telegram bot token", of("2345678901", ":AA", any(33))],
    ["Twilio key", of("S", "K", hex(32))],
    ["Twilio auth token by name", of("TWILIO_AUTH", "_TOKEN=", hex(32))],
    ["SendGrid key", of("S", "G.", any(22), ".", any(43))],
    ["Mailgun key", of("ke", "y-", hex(32))],
    ["Mailchimp key", of(hex(32), "-u", "s14")],
    ["Brevo key", of("xkey", "sib-", hex(64), "-", any(16))],
    ["Stripe live key", of("sk_", "live_", any(24))],
    ["Stripe restricted key", of("rk_", "live_", any(24))],
    ["Stripe webhook secret", of("wh", "sec_", any(32))],
    ["Square token", of("sq0", "atp-", any(22))],
    ["Square access token", of("EA", "AA", any(60))],
    ["PayPal token", of("access", "_token$production$", small(16), "$", hex(32))],
    ["Plaid token", of("access", "-production-", uuid())],
    ["Shopify token", of("shp", "at_", hex(32))],
    ["Grafana token", of("gl", "sa_", any(32), "_", hex(8))],
    ["New Relic key", of("NR", "AK-", upper(27))],
    ["Sentry token", of("sn", "tryu_", hex(64))],
    ["Datadog key by name", of("DD_API", "_KEY=", hex(32))],
    ["Dynatrace token", of("dt0", "c01.", upper(24), ".", upper(64))],
    ["Linear key", of("lin", "_api_", any(40))],
    ["Notion token", of("nt", "n_", any(46))],
    ["Airtable token", of("pa", "t", any(14), ".", hex(64))],
    ["Figma token", of("fig", "d_", any(40))],
    ["Dropbox token", of("s", "l.u.", any(130))],
    ["HubSpot token", of("pa", "t-na1-", uuid())],
    ["Postman key", of("PM", "AK-", hex(24), "-", hex(34))],
    ["Okta token", of("Authorization: SS", "WS 00", any(40))],
    ["JSON web token", of(jwtHead, ".", jwtBody, ".", any(43))],
    ["RSA private key", pem("RSA ")],
    ["OpenSSH private key", pem("OPENSSH ")],
    ["PGP private key", of("-----BEGIN PGP PRIV", "ATE KEY BLOCK-----\n\n", any(64), "\n", any(64))],
    ["private key in base64", of("client-key-data: ", Buffer.from(pem("RSA ")).toString("base64"))],
    ["age key", of("AGE-SEC", "RET-KEY-1", upper(58))],
    ["bcrypt hash", of("admin:$2", "y$10$", any(53))],
    ["Apache hash", of("admin:$ap", "r1$", any(8), "$", any(22))],
    ["shadow hash", of("root:$", "6$", any(16), "$", any(86), ":19000:0:99999:7:::")],
    ["argon2 hash", of("$argon", "2id$v=19$m=65536,t=3,p=4$", any(22), "$", any(43))],
    ["LDAP hash", of("{SS", "HA}", any(32))],
    ["database address", of("postgres://app:", any(14), "@db.internal:5432/main")],
    ["database address with a word", of("mysql://app:", "sword", "fishing", "@db.internal/main")],
    ["address without a name", of("redis://:", any(12), "@cache:6379/0")],
    ["basic-auth address", of("https://ann:", any(12), "@example.org/feed")],
    ["netrc line", of("machine api.internal login ann pass", "word ", any(10))],
    ["netrc of several lines", of("machine api.internal\n  login ann\n  pass", "word swordfish")],
    ["password with =", of("pass", "word=", "hunter2", "secret")],
    ["password with :", of("pass", "word: ", "hunter", "2")],
    ["password in JSON", of('{"pass', 'word": "', "hunter", '22"}')],
    ["password in a connection string", of("Server=db;User Id=sa;Pass", "word=Win", "ter2026!;")],
    ["word in a connection string", of("Server=db;Uid=sa;P", "wd=sword", "fishing;")],
    ["password of a shell", of("export DB_PASS", "WORD=", any(9))],
    ["password in XML", of("<pass", "word>", any(9), "</password>")],
    ["password in SQL", of("CREATE USER ann IDENTIFIED BY '", any(9), "'")],
    ["password of curl", of("curl -u ann:", any(9), " https://example.org")],
    ["password of mysql", of("mysql -u root -p", any(9), " main")],
    ["password in a manifest", of("- name: DB_PASS", "WORD\n  value: ", any(9))],
    ["password said in a sentence", of("the pass", "word is ", any(12))],
    ["bearer header", of("Author", "ization: Bearer ", any(40))],
    ["basic header", of("Author", "ization: Basic ", Buffer.from(`ann:${any(9)}`).toString("base64"), "=")],
    ["API key header", of("X-Api-", "Key: ", any(32))],
    ["WireGuard key", of("Private", "Key = ", any(43), "=")],
    ["client secret", of("client_", "secret: ", any(32))],
    ["bare key of 40 characters", of(bare(40))],
    ["bare key beside its id", of("id 2345 key ", bare(38), "+/")],
    ["Twilio account with its token", of("A", "C", hex(32), ":", hex(32))],
    ["Twilio account, token after a blank", of("A", "C", hex(32), " ", hex(32))],
    ["Twilio account and token in a sentence", of("sid A", "C", hex(32), ", auth tok", "en ", hex(32))],
    ["API key in a sentence", of("the api k", "ey ", hex(40), " of staging")],
    ["client secret in a sentence", of("client sec", "ret ", hex(64))],
    ["secret of Kubernetes", of("data:\n  pass", "word: ", base64(any(9)))],
    ["secret of Kubernetes, letters only", of("data:\n  pass", "word: ", base64("swordfish"))],
    ["key with a name and hex digits", of("ENCRYPTION_", "KEY=", hex(32))],
    ["key with a long name", of("ACME_BILLING_", "KEY: ", hex(40))],
    ["key of a framework", of("APP_", "KEY=base64:", base64(any(32)))],
    ["session secret in hex", of("SESSION_", "SECRET=", hex(64))],
    ["cookie header", of("Coo", "kie: session=", any(32))],
    ["cookie header with several", of("Coo", "kie: theme=dark; sid=s%3A", any(32), ".", any(43))],
    ["cookie that is set", of("Set-Coo", "kie: sid=", any(32), "; Path=/; HttpOnly")],
    ["Ethereum key in words", of("the private ", "key 0x", hex(64))],
    ["Ethereum key by name", of("DEPLOYER_PRIVATE_", "KEY=0x", hex(64))],
    ["Bitcoin key", of("K", "x", base58(50))],
    ["Bitcoin key, older", of("5", "J", base58(49))],
    ["extended private key", of("xpr", "v9s21ZrQH143K", base58(98))],
    [
      "words of a wallet",
      of("seed ", "phrase: ", "ripple lamp ocean tiger velvet orbit canyon lunar mango pixel quartz zebra"),
    ],
    [
      "24 words of a wallet with commas",
      of(
        "MNEM",
        "ONIC=",
        Array(2).fill("this,there,carbon,always,ripple,have,ocean,where,velvet,orbit,lunar,zebra").join(","),
      ),
    ],
    [
      "words of a wallet inside a sentence",
      of(
        "recovery ",
        "words: ",
        "ripple lamp ocean tiger velvet orbit canyon lunar mango pixel quartz zebra and the pin",
      ),
    ],
    ["password of an LDAP client", of("bind", "pw swordfish")],
    ["password of an LDAP client with digits", of("bind", "pw: ", any(10))],
    ["FTP user and password", of("ftp ann ", any(9))],
    ["FTP login in words", of("ftp: user ann pass ", any(9))],
    ["password in a block of YAML", of("pass", "word: |\n  ", any(12))],
    ["password in a folded block", of("pass", "word: >-\n    swordfish")],
    ["login in a sentence", of("login with Sommer", "2026!")],
    ["login with a user", of("log in as ann with ", any(8), "!")],
    ["login in German", of("Anmeldung mit ann / Sommer", "2026!")],
    ["line of .pgpass", of("db.internal:5432:main:app:", any(10))],
    ["password of a JDBC address", of("jdbc:postgresql://db/main?user=app&pass", "word=swordfish")],
    ["key in an address", of("https://api.internal/v1/orders?api_", "key=", hex(32))],
    ["token in an address", of("https://ci.internal/hook?tok", "en=", any(20))],
    ["password for psql", of("PGPASS", "WORD=", any(8), " psql -h db")],
    ["password for mysql", of("MYSQL_", "PWD=swordfish")],
    ["key of a Wi-Fi network", of('psk="', any(10), '"')],
    ["password of htpasswd", of("htpasswd -b users ann ", any(9))],
    ["password of docker login", of("docker login -u ann -p ", any(10))],
    ["password of openssl", of("openssl rsa -passin pass:", any(9))],
    ["seed of one-time passwords", of("otpauth://totp/acme:ann?sec", "ret=", upper(32))],
    ["Windows hashes", of("ann:1001:", hex(32), ":", hex(32), ":::")],
    ["private JWK", of('{"kty":"EC","crv":"P-256","d":"', any(43), '","x":"', any(43), '"}')],
    ["Google HMAC key", of("GOO", "G1E", upper(57))],
    ["Cloudflare global key", of("X-Auth-", "Key: ", hex(37))],
    ["Twitch token", of("oau", "th:", small(30))],
    ["signed address", of("https://b.s3.amazonaws.com/x?X-Amz-Credential=a&X-Amz-Sig", "nature=", hex(64))],
    ["Splunk header", of("Author", "ization: Splunk ", uuid())],
    ["token header", of("Author", "ization: Token ", hex(40))],
    ["key header", of("Author", "ization: ApiKey ", any(40))],
    ["password of npm in base64", of("//npm.internal/:_pass", "word=", base64(any(9)))],
    ["login of Docker in base64", of('"auth": "', base64(`ann:${any(9)}`), '"')],
    ["default login", of("admin / ", any(7), "!")],
    ["community of SNMP", of("snmp-server community ", any(10), " RO")],
    ["password of a router", of("enable sec", "ret 0 ", any(10))],
    ["password in a URL of git", of("git remote add o https://ann:", any(12), "@git.internal/x")],
  ]
}

/**
 * Repeats `random` until the text has a digit and a letter, because real credentials of that length always
 * have both.
 */
function mixed(random: (length: number) => string): (length: number) => string {
  return (length) => {
    for (;;) {
      const text = random(length)
      if (length < 6 || (/\d/.test(text) && /[a-zA-Z]/.test(text) && !/(.)\1{4}/.test(text))) return text
    }
  }
}

/** Whole numbers from a linear congruential generator (Numerical Recipes), the same on every machine. */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 12
  }
}
