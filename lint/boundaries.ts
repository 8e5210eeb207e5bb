import type { OxlintOverride } from 'oxlint'

/**
 * Who may import whom (docs/architecture.md), as lint errors. lint/fixtures breaks each ban below, and
 * lint/boundaries.test.ts sees that every one is found.
 *
 * Patterns are Rust regular expressions: with a lookaround or a back-reference they match nothing, silently.
 * So what a folder may not touch is spelled out, and a folder that is missing here fails the test.
 */
export const SHARED_PACKAGES = ['contract', 'sms']
export const OTHER_PACKAGES = ['server', 'console', 'simulator', 'agent']
export const SERVER_FEATURES =
  'auth api-keys users companies devices messages tasks callbacks opt-outs audit retention clock dashboard settings destinations quotas live replicas'.split(
    ' ',
  )
export const CONSOLE_FEATURES =
  'auth account api-keys companies devices messages tasks callbacks opt-outs audit users settings destinations quotas dashboard shell'.split(
    ' ',
  )

/** Specifiers that an area may not import, and what to do instead. */
type Ban = ({ regex: string } | { group: string[] }) & { message: string; allowTypeImports?: boolean }

const CLIMBING = 'Leaving a folder goes by #server/…, #console/…, #agent/… or #simulator/…, never by ../'
const climbing: Ban = { regex: String.raw`(^|/)\.\.(/|$)`, message: CLIMBING }
const climbingButToScripts: Ban = {
  group: ['../**', './**/../**', '!../../scripts/*', '!../../../scripts/*'],
  message: CLIMBING,
}

const foreign = (packages: string[]): Ban => ({
  regex: `^@sdd/(${packages.join('|')})(/|$)`,
  message: 'A package imports no other package but @sdd/contract and @sdd/sms',
})
const environment: Ban = {
  regex: '^(node:)?process$',
  message: 'process is a global; only config.ts reads its env',
}

const framework: Ban = { regex: '^@?fastify(/|$)', message: 'Only core/http knows the HTTP framework' }
const brokerParts: Ban = {
  regex: '^(mqtt|mqtt-packet|ws)(/|$)',
  message: 'Only core/broker knows MQTT and WebSockets',
}
const sqlBuilder: Ban = { regex: '^kysely(/|$)', message: 'Only database/ and store.ts know the SQL builder' }
const sqlite: Ban = { regex: '^node:sqlite$', message: 'Only database/ opens SQLite' }
const postgres: Ban = { regex: '^pg(/|$)', message: 'Only database/ opens PostgreSQL' }
const serialPort: Ban = { regex: '^@?serialport(/|$)', message: 'Only serial/ opens the serial port' }
const libraries = [framework, brokerParts, sqlBuilder, sqlite, postgres]

const wiring: Ban = {
  regex: String.raw`^(#server|\.)/(app|main)\.ts$`,
  message: 'Nothing climbs back to app.ts or main.ts: what is needed is passed in',
}
const serverFeatures: Ban = {
  regex: String.raw`^(#server|\.)/(${SERVER_FEATURES.join('|')})/`,
  message: 'core, database and config know no feature',
}
const consoleFeatures: Ban = {
  regex: `^#console/(${CONSOLE_FEATURES.join('|')})/`,
  message: 'ui and core know no feature',
}
const fetching: Ban = {
  regex: String.raw`^(#console/core/api(\.|/)|@tanstack/react-query$)`,
  message: 'ui knows no fetching',
}

const everywhere = [climbing, foreign(OTHER_PACKAGES), environment]
const belowFeatures = [...everywhere, wiring, serverFeatures]

/** An override replaces the ones before it: each area lists all its bans, and a narrower area comes later. */
export const boundaries: OxlintOverride[] = [
  area(['packages/*/scripts/**'], [climbing]),
  area(['packages/*/src/**'], everywhere),
  area(
    ['packages/contract/**'],
    [climbing, { group: ['**', '!zod', '!zod/**', '!./**'], message: 'contract depends on zod alone' }],
  ),
  area(['packages/sms/**'], [climbing, { group: ['**', '!./**'], message: 'sms depends on nothing' }]),

  area(['packages/server/src/*.ts'], [...belowFeatures, ...libraries]),
  area(['packages/server/src/{app,main,serving}.ts'], [...everywhere, ...libraries]),
  area(['packages/server/src/core/**'], [...belowFeatures, ...libraries]),
  area(['packages/server/src/core/http{.ts,/**}'], [...belowFeatures, ...without(framework)]),
  area(['packages/server/src/core/broker/**'], [...belowFeatures, ...without(brokerParts)]),
  area(['packages/server/src/database/**'], [...belowFeatures, framework, brokerParts]),
  ...SERVER_FEATURES.flatMap((feature) => {
    const bans = [...everywhere, { ...wiring, allowTypeImports: true }, insidesOfOthers(feature)]
    return [
      area([`packages/server/src/${feature}/**`], [...bans, ...libraries]),
      area([`packages/server/src/${feature}/**/store.ts`], [...bans, ...without(sqlBuilder)]),
    ]
  }),

  area(['packages/console/src/ui/**'], [...everywhere, consoleFeatures, fetching]),
  area(['packages/console/src/core/**'], [...everywhere, consoleFeatures]),
  // The shell is the console's frame: it loads what a feature shows over any screen.
  ...CONSOLE_FEATURES.filter((feature) => feature !== 'shell').map((feature) =>
    area([`packages/console/src/${feature}/**`], [...everywhere, allButNounsOfOthers(feature)]),
  ),

  area(['packages/agent/src/**'], [...everywhere, serialPort]),
  area(['packages/agent/src/serial/**'], everywhere),

  // A test reaches all of its own package, and the scripts that find a browser and build the console.
  area(
    ['packages/*/src/**/*.test.{ts,tsx}', 'packages/*/test/**'],
    [foreign(OTHER_PACKAGES), climbingButToScripts],
  ),
  // A client's tests start a server to talk to.
  area(
    ['packages/{console,simulator}/src/**/*.test.{ts,tsx}', 'packages/{console,simulator}/test/**'],
    [foreign(OTHER_PACKAGES.filter((name) => name !== 'server')), climbingButToScripts],
  ),
]

/** A group with exceptions (`!…`) comes last in its area: what it excepts, the bans after it do not see. */
function area(files: string[], bans: Ban[]): OxlintOverride {
  return { files, rules: { 'no-restricted-imports': ['error', { patterns: bans }] } }
}

function without(lifted: Ban): Ban[] {
  return libraries.filter((ban) => ban !== lifted)
}

function insidesOfOthers(feature: string): Ban {
  const others = SERVER_FEATURES.filter((other) => other !== feature)
  return {
    regex: String.raw`^#server/(${others.join('|')})/(.+/)?(routes|topics|store)\.ts$`,
    message: "A feature imports another's noun file, never its routes, topics or store",
  }
}

function allButNounsOfOthers(feature: string): Ban {
  const others = CONSOLE_FEATURES.filter((other) => other !== feature)
  return {
    group: others.flatMap((other) => [
      `#console/${other}/**`,
      `!#console/${other}/${other}.ts`,
      `!#console/${other}/${other}.tsx`,
    ]),
    message: "A feature imports another's noun file only",
  }
}
