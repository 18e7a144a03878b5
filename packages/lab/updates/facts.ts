/**
 * A subject of the generated notes: an attribute with its values, and the ways in which people state them and
 * ask for them.
 */

export type Attribute = {
  readonly values: readonly string[]
  /** `$s`: the subject, `$v`: the value. */
  readonly states: readonly string[]
  /** Ways to state a later value that mention the change. */
  readonly changes: readonly string[]
  /** Later remarks about the attribute that give it no new value. */
  readonly mentions: readonly string[]
  readonly asks: readonly string[]
}

export type Field = { readonly subjects: readonly string[]; readonly attributes: readonly Attribute[] }

const row = (
  values: string,
  states: readonly string[],
  changes: readonly string[],
  mentions: readonly string[],
  asks: readonly string[],
): Attribute => ({ values: values.split(" | "), states, changes, mentions, asks })

const SERVICES: Field = {
  subjects: ["gateway", "image resizer", "billing worker", "search cluster", "mail relay", "report builder", "login service", "feed importer", "audit log", "session store", "map renderer", "invoice queue"],
  attributes: [
    row("15 seconds | 30 seconds | 45s | a minute | 90s | two minutes",
      ["The request timeout of the $s is $v.", "$s: requests time out after $v.", "Calls to the $s are given up after $v."],
      ["We raised the timeout of the $s to $v because exports kept failing.", "The $s waits $v for an answer now.", "Since the outage the $s gives up after $v."],
      ["The timeout of the $s is still a guess, somebody should measure it.", "Grafana shows timeouts of the $s on its first page."],
      ["what is the request timeout of the $s", "after how long does the $s give up a request?"]),
    row("two | 3 | four | 6 | eight | 12",
      ["The $s runs $v instances in production.", "In production there are $v instances of the $s.", "We run $v copies of the $s."],
      ["Scaled the $s to $v instances after the sale.", "The $s was cut down to $v instances to save money.", "By now $v instances of the $s are running."],
      ["All instances of the $s write to one log.", "Rolling restarts of the $s take one instance after the other."],
      ["how many instances of the $s do we run", "number of $s instances in production"]),
    row("Redis | Postgres | SQLite | MySQL | DynamoDB | Cassandra",
      ["The $s keeps its data in $v.", "Data of the $s is stored in $v.", "$v is the database behind the $s."],
      ["We moved the $s to $v.", "The $s was migrated, its rows are in $v.", "The $s switched over to $v last week."],
      ["Backups of the $s database are checked every Friday.", "The schema of the $s database is documented in the wiki."],
      ["which database does the $s use", "where does the $s keep its data?"]),
    row("Priya | Tomasz | Yuki | Amara | Lars | Ines",
      ["$v owns the $s.", "The $s is owned by $v.", "Questions about the $s go to $v."],
      ["$v took over the $s.", "Ownership of the $s was handed to $v.", "From Monday on $v looks after the $s."],
      ["Whoever owns the $s has to be on the incident list.", "The owner of the $s signs off releases."],
      ["who owns the $s", "who is responsible for the $s?"]),
    row("8080 | 9090 | 4317 | 7001 | 5555 | 3100",
      ["The $s listens on port $v.", "Port of the $s: $v.", "You reach the $s on port $v."],
      ["The $s moved to port $v, the old one clashed with Jenkins.", "Changed the port of the $s to $v.", "The $s is bound to $v instead."],
      ["The port of the $s has to be open in the firewall.", "Health checks use the same port of the $s."],
      ["which port does the $s listen on", "what is the port of the $s"]),
    row("debug | info | warning | error | trace | notice",
      ["The $s logs at level $v.", "Log level of the $s is $v.", "In staging and production the $s writes $v logs."],
      ["Turned the log level of the $s to $v.", "The $s logs at $v since the disk filled up.", "Its log level is $v for the $s from today on."],
      ["Logs of the $s are shipped to the central store.", "The log lines of the $s lack a request id."],
      ["what is the log level of the $s", "at which level does the $s log?"]),
    row("every night at 2 | hourly | once a week | every 6 hours | on Sundays | every 15 minutes",
      ["Backups of the $s run $v.", "The $s is backed up $v.", "$s backup schedule: $v."],
      ["Backups of the $s happen $v instead.", "We now back up the $s $v.", "The backup job of the $s was rescheduled, it runs $v."],
      ["A restore of the $s backup took forty minutes in the drill.", "Backups of the $s are encrypted."],
      ["how often is the $s backed up", "when do backups of the $s run?"]),
    row("256 MB | 512 MB | 1 GB | 2 GB | 4 GB | 768 MB",
      ["The $s has a memory limit of $v.", "Memory limit of the $s: $v.", "The $s may use $v of memory."],
      ["The memory limit of the $s went up to $v.", "Doubled the memory of the $s, it has $v.", "Gave the $s $v of memory after it was killed twice."],
      ["Memory use of the $s grows over the week.", "The memory of the $s is not reported per request."],
      ["what is the memory limit of the $s", "how much memory may the $s use"]),
  ],
} // biome-ignore format: a table

const TEAMS: Field = {
  subjects: ["mobile app", "admin console", "public API", "design system", "docs site", "data pipeline", "checkout page", "partner portal", "desktop client", "marketing site"],
  attributes: [
    row("Jest | Vitest | Mocha | Playwright | Cypress | node:test",
      ["Tests of the $s run with $v.", "The $s is tested with $v.", "$v is the test runner of the $s."],
      ["The $s was ported to $v for its tests.", "We replaced the test runner of the $s by $v.", "Tests of the $s use $v now."],
      ["Tests of the $s take eleven minutes.", "The $s has three flaky tests."],
      ["which test runner does the $s use", "what are the tests of the $s run with?"]),
    row("March 14 | April 2 | May 20 | June 9 | September 1 | October 30",
      ["The next release of the $s is planned for $v.", "Release date of the $s: $v.", "We ship the $s on $v."],
      ["The release of the $s was postponed to $v.", "The $s slipped, it ships on $v.", "The launch of the $s was pulled forward to $v."],
      ["The release notes of the $s are written by hand.", "Before a release of the $s support wants a demo."],
      ["when is the next release of the $s", "what is the release date of the $s?"]),
    row("70% | 75 percent | 80% | 85% | 90 percent | 95%",
      ["The $s must have a test coverage of $v.", "Coverage threshold of the $s is $v.", "CI fails below $v coverage in the $s."],
      ["Raised the coverage threshold of the $s to $v.", "We lowered coverage for the $s, $v is enough.", "Coverage of the $s has to reach $v from this sprint on."],
      ["Coverage of the $s is reported to the pull request.", "Nobody looks at the coverage of the $s."],
      ["what is the coverage threshold of the $s", "how much test coverage does the $s need?"]),
    row("GitHub Actions | GitLab CI | Buildkite | CircleCI | Jenkins | Drone",
      ["The $s is built on $v.", "CI of the $s: $v.", "Builds of the $s run in $v."],
      ["We moved builds of the $s over to $v.", "The $s left its old CI for $v.", "The $s builds on $v these days."],
      ["The build of the $s needs more cache.", "A red build of the $s blocks everybody."],
      ["where is the $s built", "which CI does the $s use"]),
    row("Node 18 | Node 20 | Node 22 | Node 24 | Bun 1.1 | Deno 2",
      ["The $s runs on $v.", "Runtime of the $s: $v.", "$v is what the $s needs."],
      ["The $s was upgraded to $v.", "Bumped the $s to $v.", "The $s runs on $v since the upgrade."],
      ["The runtime of the $s is checked at its start.", "Installing the runtime of the $s is part of the setup script."],
      ["which runtime does the $s run on", "what version of the runtime does the $s use"]),
    row("one review | two reviews | three approvals | no review | a review by a lead | four approvals",
      ["A pull request to the $s needs $v.", "Merging into the $s takes $v.", "Rule for the $s: $v before a merge."],
      ["We changed the rule, the $s needs $v.", "Merging into the $s takes $v from now on.", "After the incident the $s asks for $v."],
      ["Reviews of the $s are slow on Fridays.", "Reviewers of the $s are picked at random."],
      ["how many reviews does a pull request to the $s need", "what does merging into the $s take?"]),
    row("$40,000 | $55k | $62,000 | $75k | $90,000 | $120k",
      ["The budget of the $s is $v.", "We have $v for the $s this year.", "Budget for the $s: $v."],
      ["The budget of the $s was cut to $v.", "Finance approved more, the $s has $v.", "The $s got its budget increased to $v."],
      ["The budget of the $s is reviewed each quarter.", "Who spends from the budget of the $s has to file a ticket."],
      ["what is the budget of the $s", "how much money is there for the $s?"]),
    row("npm | pnpm | yarn | bun install | nix | bazel",
      ["The $s uses $v for its packages.", "Packages of the $s are installed with $v.", "Package manager of the $s: $v."],
      ["We switched the $s to $v.", "The $s installs its packages with $v instead.", "The $s dropped its package manager for $v."],
      ["The packages of the $s are audited weekly.", "Two packages of the $s are out of date."],
      ["which package manager does the $s use", "what are packages of the $s installed with"]),
  ],
} // biome-ignore format: a table

const PEOPLE: Field = {
  subjects: ["Nora", "my brother", "Felix", "our neighbour", "Maya", "my aunt", "Oskar", "my flatmate", "Leila", "my boss"],
  attributes: [
    row("Lisbon | Graz | Turin | Leeds | Aarhus | Ghent",
      ["$s lives in $v.", "$s has a flat in $v.", "The place where $s lives is $v."],
      ["$s moved to $v.", "$s has settled in $v now.", "Guess what, $s left town and lives in $v."],
      ["$s likes where they live, but the rent is high.", "I'd love to see the flat of $s one day."],
      ["where does $s live", "which city does $s live in?"]),
    row("a nurse | a translator | a bus driver | a baker | an architect | a teacher",
      ["$s works as $v.", "$s is $v.", "$s earns a living as $v."],
      ["$s quit and works as $v now.", "$s retrained as $v.", "$s found another job, as $v."],
      ["$s complains about work all the time.", "The job of $s starts early in the morning."],
      ["what does $s work as", "what is the job of $s?"]),
    row("two cats | a beagle | three hens | one parrot | four rabbits | a pony",
      ["$s has $v.", "$s keeps $v.", "$v live with $s."],
      ["$s has $v by now.", "It is $v at $s's place these days.", "$s ended up with $v."],
      ["The pets of $s woke everybody.", "$s reads a lot about pets."],
      ["which pets does $s have", "what animals does $s keep?"]),
    row("on Tuesdays | on Thursdays | every Saturday | on Monday evenings | twice a week | on Sunday mornings",
      ["$s goes to choir practice $v.", "Choir practice of $s is $v.", "$s sings in the choir $v."],
      ["$s switched choir practice, it is $v.", "Choir practice of $s was moved, they meet $v.", "$s sings $v now."],
      ["$s was hoarse after choir practice.", "The choir of $s looks for a tenor."],
      ["when does $s go to choir practice", "on which days does $s sing in the choir?"]),
    row("35 minutes | 50 minutes | an hour | 20 minutes | 75 minutes | 15 minutes",
      ["The commute of $s takes $v.", "$s needs $v to get to work.", "It takes $s $v to the office."],
      ["Since the new line opened the commute of $s takes $v.", "$s gets to work in $v now.", "The commute of $s is $v after the move."],
      ["$s listens to podcasts on the commute.", "The commute of $s was cancelled by snow."],
      ["how long is the commute of $s", "how much time does $s need to get to work?"]),
    row("half marathon | triathlon | chess open | pottery fair | poetry slam | cycling tour",
      ["$s trains for a $v.", "The next goal of $s is the $v.", "$s has signed up for a $v."],
      ["$s changed plans and trains for a $v.", "It is a $v that $s prepares for now.", "$s gave that up for a $v."],
      ["$s overslept the training.", "Training made $s hungry."],
      ["what does $s train for", "which event is $s preparing for?"]),
    row("bouldering | watercolours | sourdough | astronomy | beekeeping | the cello",
      ["$s spends the evenings on $v.", "The hobby of $s is $v.", "$s is into $v."],
      ["$s is into $v these days.", "$s stopped that, the hobby of $s is $v now.", "The new hobby of $s: $v."],
      ["$s says a hobby needs time.", "I asked $s about hobbies, no answer yet."],
      ["what is the hobby of $s", "what does $s spend the evenings on"]),
  ],
} // biome-ignore format: a table

export const FIELDS: readonly Field[] = [SERVICES, TEAMS, PEOPLE]

/** Sentences that answer no question and make messages long. */
export const FILLER: readonly string[] = [
  "I had too much coffee today.", "The weather is awful again.", "Could you help me structure the next steps?",
  "I'm not sure whether that is the best way.", "We talked about it in the meeting yesterday.",
  "Let me know what you think.", "I want to get this right before the weekend.", "There is a lot left to do.",
  "I read an article about it and now I'm confused.", "Please keep the explanation short.",
  "The last attempt took longer than planned.", "Somebody asked me about that in the hallway.",
  "I'd rather have a list than a long text.", "It was a quiet day otherwise.", "Is that a good idea at all?",
  "I wrote it down so that I don't forget it.", "The others are on holiday until next week.",
  "How would you test that?", "I made a plan with three steps, and the second one worries me.",
  "It works on my machine, at least.", "Thanks for the tips last time, they helped.", "That reminds me of last year.",
] // biome-ignore format: a list
