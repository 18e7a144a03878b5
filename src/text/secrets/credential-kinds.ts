/**
 * Formats that only the secrets of one issuer have: a description, and a pattern without groups. The sources are the
 * issuers' own pages about their tokens. Formats that could be any hash or identifier are missing; `credentials.ts`
 * recognizes those by the name before them.
 */
export const CREDENTIAL_KINDS: readonly (readonly [kind: string, shape: string])[] = [
  // Clouds and hosting
  ["an AWS access key", String.raw`\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b`],
  ["a Google API key", String.raw`\bAIza[\w-]{35}`],
  ["a Google OAuth secret", String.raw`\bGOCSPX-[\w-]{28}|\bya29\.[\w-]{20,}|\b1//0[\w-]{35,}`],
  ["a Firebase server key", String.raw`\bAAAA[\w-]{7}:[\w-]{120,}`],
  ["an Azure storage key", String.raw`\b(?:Account|SharedAccess)Key=[A-Za-z0-9+/]{40,86}={1,2}`],
  ["an Azure client secret", String.raw`(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~-])`],
  [
    "an Azure shared access signature",
    String.raw`\b(?:sv|se|sp|sr)=[^\s&"']{1,60}&(?:[a-z]{2,4}=[^\s&"']{0,80}&){0,10}sig=[\w%+/-]{40,}`,
  ],
  ["an Azure DevOps token", String.raw`\b[A-Za-z0-9]{75,80}AZDO[A-Za-z0-9]{4,5}\b`],
  ["an Alibaba Cloud access key", String.raw`\bLTAI(?=[A-Za-z]*\d)[A-Za-z0-9]{12,24}\b`],
  ["a Tencent Cloud key", String.raw`\bAKID(?=[A-Za-z]*\d)[A-Za-z0-9]{32}\b`],
  ["a Yandex Cloud key", String.raw`\bAQVN[\w-]{35,38}|\by[0-3]_[\w-]{55,}`],
  ["a DigitalOcean token", String.raw`\bdo[por]_v1_[a-f0-9]{64}`],
  ["a Cloudflare key", String.raw`\bv1\.0-[a-f0-9]{24}-[a-f0-9]{100,}`],
  ["a Heroku key", String.raw`\bHRKU-[\w-]{36,}`],
  ["a Fly.io token", String.raw`\bfo1_[\w-]{40,}|\bFlyV1 fm\w{1,3}_[\w+/=,-]{40,}`],
  ["a Netlify token", String.raw`\bnf[pcou]_[A-Za-z0-9_]{36,}`],
  ["a Render key", String.raw`\brnd_[A-Za-z0-9]{28,}`],
  ["a Supabase token", String.raw`\bsbp_[a-f0-9]{40}|\bsb_secret_[\w-]{20,}`],
  ["a PlanetScale token", String.raw`\bpscale_(?:tkn|oauth|pw)_[\w.=-]{32,}`],
  ["a Neon key", String.raw`\bnapi_[a-z0-9]{40,}`],
  ["a Backblaze key", String.raw`\bK00\d[A-Za-z0-9+/]{27}\b`],
  ["a Databricks token", String.raw`\bdapi[a-f0-9]{32}\b`],
  ["a Terraform Cloud token", String.raw`\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}`],
  ["a Pulumi token", String.raw`\bpul-[a-f0-9]{40}\b`],
  [
    "a Vault token",
    String.raw`\bhv[sbr]\.[\w-]{24,}|(?<![\w.])[sbr]\.(?=[A-Za-z]*\d)(?=[a-z\d]*[A-Z])[A-Za-z0-9]{24}(?![\w.-])`,
  ],
  ["a Doppler token", String.raw`\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,}`],
  ["a Tailscale key", String.raw`\btskey-[a-z]{2,12}-[A-Za-z0-9]{6,}-[A-Za-z0-9]{16,}`],
  [
    "a 1Password token",
    String.raw`\bops_eyJ[\w=-]{60,}|\bA3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\b`,
  ],

  ["a Google HMAC key", String.raw`\bGOOG1E[A-Z0-9]{55,}`],

  // Code hosting, packages, builds
  ["a GitHub token", String.raw`\bgh[pousr]_[A-Za-z0-9]{36,}|\bgithub_pat_[A-Za-z0-9_]{50,}`],
  [
    "a GitLab token",
    String.raw`\bgl(?:pat|dt|rt|cbt|ptt|soat|imt|agent|oas|ft|ffct|wt|rtr)-[\w-]{20,}|\bGR1348941[\w-]{20,}`,
  ],
  ["a Bitbucket or Atlassian token", String.raw`\bAT(?:ATT|CTT|BB|STT)[\w=-]{24,}`],
  ["an npm token", String.raw`\bnpm_[A-Za-z0-9]{36}\b`],
  ["a PyPI token", String.raw`\bpypi-AgE[\w-]{50,}`],
  ["a RubyGems key", String.raw`\brubygems_[a-f0-9]{48}`],
  ["a crates.io token", String.raw`\bcio(?=[A-Za-z]*\d)[A-Za-z0-9]{32}\b`],
  ["a NuGet key", String.raw`\boy2[a-z0-9]{43}\b`],
  ["a Clojars token", String.raw`\bCLOJARS_[a-z0-9]{60}`],
  ["an Artifactory token", String.raw`\bAKCp[A-Za-z0-9]{60,}|\bcmVmd[A-Za-z0-9]{50,}`],
  ["a Docker Hub token", String.raw`\bdckr_[po]at_[\w-]{27,}`],
  ["a CircleCI token", String.raw`\bCCIPAT_[\w-]{40,}`],
  ["a Buildkite token", String.raw`\bbk[a-z]{1,3}_[a-f0-9]{40}`],
  ["a SonarQube token", String.raw`\bsq[upa]_[a-f0-9]{40}`],
  ["a Sourcegraph token", String.raw`\bsgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}`],
  ["a Prefect key", String.raw`\bpn[ub]_[A-Za-z0-9]{36}\b`],

  // Models
  ["an Anthropic key", String.raw`\bsk-ant-[\w-]{20,}`],
  [
    "an OpenAI key",
    String.raw`\bsk-(?:proj|svcacct|admin|None)-[\w-]{40,}|\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}`,
  ],
  [
    "an API key",
    String.raw`\bsk-(?:or-v1-)?(?=[a-z]*[\dA-Z])[A-Za-z0-9]{32,}\b|\bgsk_[A-Za-z0-9]{40,}|\bxai-[A-Za-z0-9]{60,}|\bpplx-[A-Za-z0-9]{40,}`,
  ],
  ["a Hugging Face token", String.raw`\bhf_[A-Za-z0-9]{34}\b|\bapi_org_[A-Za-z0-9]{34}\b`],
  ["a Replicate token", String.raw`\br8_[A-Za-z0-9]{37,}`],
  ["a Pinecone key", String.raw`\bpcsk_[A-Za-z0-9_]{40,}`],
  [
    "a Langfuse or LangSmith key",
    String.raw`\bsk-lf-[a-f0-9-]{36}|\blsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}`,
  ],
  ["a Tavily key", String.raw`\btvly-(?:[a-z]{2,5}-)?[A-Za-z0-9]{24,}`],
  ["a Firecrawl key", String.raw`\bfc-[a-f0-9]{32}\b`],

  // Messages
  ["a Slack token", String.raw`\bxox[abceoprs](?:\.xox[bp])?-[\w-]{10,}|\bxapp-\d-[\w-]{20,}`],
  ["a Slack webhook", String.raw`\bhooks\.slack\.com/(?:services|workflows|triggers)/[TE]\w+/[\w/]{20,}`],
  ["a Discord bot's token", String.raw`\b[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40}`],
  ["a Discord webhook", String.raw`\bdiscord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{15,20}/[\w-]{50,}`],
  ["a Teams webhook", String.raw`\bwebhook\.office\.com/webhookb2/[\w@-]{40,}/IncomingWebhook/[a-f0-9]{32}`],
  ["a Telegram bot's token", String.raw`\b\d{8,10}:AA[\w-]{33}\b`],
  ["a Twilio key", String.raw`\bSK(?=[a-f]*\d)[a-f0-9]{32}\b`],
  [
    "a Twilio account with its token",
    String.raw`\bAC(?=[a-f]*\d)[a-f0-9]{32}\b[^\S\n]{0,3}[:,;/|]?\s{0,3}(?:\w{1,20}[ =:]{1,3})?\b[a-f0-9]{32}\b`,
  ],
  ["a SendGrid key", String.raw`\bSG\.[\w-]{22}\.[\w-]{43}`],
  ["a Mailgun key", String.raw`\bkey-[a-f0-9]{32}\b|\b[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}\b`],
  ["a Mailchimp key", String.raw`\b[a-f0-9]{32}-us\d{1,2}\b`],
  ["a Brevo key", String.raw`\bx(?:keysib|smtpsib)-[a-f0-9]{64}-[A-Za-z0-9]{16}`],
  ["a Resend key", String.raw`\bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}`],
  ["a Facebook token", String.raw`\bEAA[A-Za-z]{1,3}(?=[A-Za-z]*\d)[A-Za-z0-9]{60,}`],
  ["a Twitch token", String.raw`\boauth:(?=[a-z]*\d)[a-z0-9]{30}\b`],

  // Money and shops
  ["a Stripe key", String.raw`\b[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/]{24,}`],
  ["a Square token", String.raw`\bEAAA[\w-]{60}|\bsq0(?:atp|csp|idp)-[\w-]{22,}`],
  ["a PayPal token", String.raw`\baccess_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}`],
  ["a Plaid token", String.raw`\baccess-(?:sandbox|development|production)-[a-f0-9]{8}-[a-f0-9-]{27}`],
  ["a Razorpay key", String.raw`\brzp_(?:live|test)_[A-Za-z0-9]{14,}`],
  ["a Shopify token", String.raw`\bshp(?:at|ca|pa|ss|ua)_[a-fA-F0-9]{32}`],
  ["a Shippo token", String.raw`\bshippo_(?:live|test)_[a-f0-9]{40}`],
  ["an EasyPost key", String.raw`\bEZ[AT]K[A-Za-z0-9]{54}`],

  // Monitoring
  ["a Grafana token", String.raw`\bgl(?:sa|c)_[A-Za-z0-9+/=_]{32,}`],
  ["a New Relic key", String.raw`\bNR(?:AK|II|RA|JS|AL)-[A-Za-z0-9-]{19,}`],
  ["a Sentry token", String.raw`\bsntr(?:ys_eyJ[\w=+/-]{40,}|yu_[a-f0-9]{64})`],
  ["a Dynatrace token", String.raw`\bdt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}`],
  ["a Honeycomb key", String.raw`\bhc[abx]ik_[A-Za-z0-9]{50,}`],
  ["a PostHog key", String.raw`\bph[xs]_[A-Za-z0-9]{40,}`],
  [
    "a LaunchDarkly key",
    String.raw`\b(?:sdk|mob)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}\b`,
  ],

  // Office and design services
  ["a Linear key", String.raw`\blin_(?:api|oauth)_[A-Za-z0-9]{40,}`],
  ["a Notion token", String.raw`\bsecret_[A-Za-z0-9]{43}\b|\bntn_[A-Za-z0-9]{40,}`],
  ["an Airtable token", String.raw`\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}`],
  ["an Asana token", String.raw`\b[012]/\d{12,19}(?:/\d{12,19})?:[a-f0-9]{32}\b`],
  ["a Figma token", String.raw`\bfig[douh]{1,2}_[\w-]{40,}`],
  ["a Dropbox token", String.raw`\bsl\.(?:u\.)?[\w-]{100,}`],
  ["a HubSpot token", String.raw`\bpat-(?:na|eu)\d-[a-f0-9]{8}-[a-f0-9-]{27}`],
  ["a Contentful token", String.raw`\bCFPAT-[\w-]{43}`],
  ["a Postman key", String.raw`\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}`],
  ["a Typeform token", String.raw`\btfp_[\w-]{40,}`],
  ["a Mapbox secret token", String.raw`\bsk\.eyJ[\w-]{40,}\.[\w-]{20,}`],
  ["an Okta token", String.raw`\bSSWS\s+00[\w-]{38,40}`],

  // Forms that programs share
  ["an age key", String.raw`\bAGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{58,}`],
  [
    "a private JSON web key",
    String.raw`"kty"\s*:\s*"[^"\n]{2,5}"[^{}]{0,600}?"d"\s*:\s*"[\w-]{20,}|"d"\s*:\s*"[\w-]{20,}"[^{}]{0,600}?"kty"\s*:`,
  ],
  [
    "a Bitcoin key",
    String.raw`(?<![\w/+-])(?=[A-Za-z]{0,50}\d)(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})(?![\w/+=-])`,
  ],
  ["the private key of a wallet", String.raw`\b[xyzt]prv[1-9A-HJ-NP-Za-km-z]{90,}`],
  ["hashes of a Windows password", String.raw`\b[\w.$-]{1,60}:\d{1,10}:[a-fA-F0-9]{32}:[a-fA-F0-9]{32}:::`],
  ["a JSON web token", String.raw`(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}`],
  [
    "a password's hash",
    [
      String.raw`\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}`,
      String.raw`\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}`,
      String.raw`\$(?:1|5|6|7|y|gy)\$(?:rounds=\d+\$|[./A-Za-z0-9]{1,8}\$)?[./A-Za-z0-9]{1,64}\$[./A-Za-z0-9]{22,86}`,
      String.raw`\$argon2(?:id|i|d)\$v=\d+\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]{8,}\$[A-Za-z0-9+/]{20,}`,
      String.raw`\{SSHA?(?:256|384|512)?\}[A-Za-z0-9+/]{24,}={0,2}|\{SHA\}[A-Za-z0-9+/]{27}=`,
      String.raw`\bpbkdf2[_:-]sha\d+[$:]\d+[$:][\w+/=.-]{6,}[$:][\w+/=.-]{20,}`,
      String.raw`\bSCRAM-SHA-256\$\d+:[\w+/=]{16,}\$[\w+/=]{40,}`,
    ].join("|"),
  ],
  ["the seed of one-time passwords", String.raw`\botpauth://[^\s"']{1,200}[?&]secret=[A-Z2-7]{16,}`],
  // The header alone, without the body of the key, is no secret.
  [
    "a private key",
    [
      "-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,400}?[A-Za-z0-9+/]{40}",
      // Matches the header of a private key in base64, as in kubeconfig files and Kubernetes secrets.
      String.raw`\bLS0tLS1CRUdJTi(?:BQUklWQVRFIEtFW|BSU0EgUFJJVkFURS|BFQyBQUklWQVRFIEtFW|BPUEVOU1NIIFBSSVZBVEUg|BFTkNSWVBURUQgUFJJVkFURS)[A-Za-z0-9+/]{20,}`,
      String.raw`\bPuTTY-User-Key-File-\d: [\s\S]{0,400}?Private-Lines: \d+\s+[A-Za-z0-9+/]{40}`,
    ].join("|"),
  ],
]
