import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findBrowser } from './browser.ts'
import { buildConsole } from './build-console.ts'
import { buildServer, SERVER } from './build-server.ts'
import { findMosquitto } from './mosquitto.ts'
import { folderInMemory, OF_TESTS, startPostgres } from './postgres.ts'
import { COMPILE_CACHE, main, ROOT, run } from './run.ts'

/**
 * `npm test [-- part-of-a-path …]`: every test whose path contains one of these parts, or all tests. `npm run e2e` is
 * the same with `--browser`: only the tests that drive a browser. Files named `*.engines.test.ts` run twice, on SQLite
 * and on a PostgreSQL that is started for the run.
 */
const TESTS = ['packages/*/{src,test}/**/*.test.{ts,tsx}', '{lint,scripts,tools,test}/**/*.test.ts']
const TEST_WITHIN_MS = 300_000
/** The start of a process takes longer than most files. */
const FILES_IN_A_PROCESS = 16
const CONCURRENCY = Math.min(2 * availableParallelism(), 8)

export function findTests(parts: string[], browserOnly: boolean): string[] {
  return globSync(TESTS, { cwd: ROOT, exclude: ['**/node_modules', '**/fixtures'] })
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
    .filter((file) => !browserOnly || drivesBrowser(file))
    .sort()
}

function drivesBrowser(file: string): boolean {
  return file.endsWith('.browser.test.ts') || file.startsWith('packages/console/test/')
}

async function runTests(args: string[]): Promise<number> {
  const parts = args.filter((arg) => arg !== '--browser')
  const files = findTests(parts, args.includes('--browser'))
  if (files.length === 0) {
    console.error(`There is no such test${parts.map((part) => `; no path contains ${part}`).join('')}`)
    return 1
  }
  await buildConsole()
  await buildServer()
  const env: Record<string, string> = { ...COMPILE_CACHE, TEST_SERVER: SERVER }
  // Installed here once, because the files that need it run in parallel.
  if (files.some(needsMosquitto)) await findMosquitto()
  await using closing = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'tests-'))
  closing.defer(() => rmSync(folder, { recursive: true }))
  const summary = join(folder, 'summary')
  const options = [
    `--test-timeout=${TEST_WITHIN_MS}`,
    `--test-concurrency=${CONCURRENCY}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/summary.ts',
    `--test-reporter-destination=${summary}`,
  ]
  if (files.some(drivesBrowser)) {
    env['CHROME_PATH'] = process.env['CHROME_PATH'] = await findBrowser()
    const { startBrowser } = await import('../packages/console/test/browser.ts')
    const browser = await startBrowser()
    closing.defer(() => browser.close())
    env['TEST_BROWSER_URL'] = browser.wsEndpoint()
  }
  if (files.some(needsPostgres)) {
    const postgres = await startPostgres([...OF_TESTS, 'max_wal_size=128MB'], folderInMemory())
    closing.defer(() => postgres.stop())
    env['TEST_POSTGRES_URL'] = postgres.url
  }
  const programs = [
    ...writeGroups(files, 'sqlite', folder),
    ...writeGroups(files.filter(isOfEitherEngine), 'postgres', folder),
  ]
  const status = await run(process.execPath, ['--test', ...options, ...programs], { env })
  // At the end, because the list of the passed tests is long.
  console.log(`\n${readFileSync(summary, 'utf8')}`)
  return status
}

/**
 * Divides the test files among programs for `node --test`, and writes these into `folder`. Neighbours, which are alike,
 * come into different ones. Returns their paths.
 */
function writeGroups(files: readonly string[], engine: 'sqlite' | 'postgres', folder: string): string[] {
  const count = Math.min(files.length, Math.max(CONCURRENCY, Math.ceil(files.length / FILES_IN_A_PROCESS)))
  const group_url = pathToFileURL(join(ROOT, 'scripts/test-group.ts')).href
  return Array.from({ length: count }, (_, group) => {
    const own = files.filter((_, n) => n % count === group)
    const path = join(folder, `${engine}-${group}.mjs`)
    const call = `await runGroup(${JSON.stringify(own)}, '${engine}')`
    writeFileSync(path, `import { runGroup } from '${group_url}'\n${call}\n`)
    return path
  })
}

/** Tests of SQL rules run on both engines; everything else runs once. */
export function isOfEitherEngine(file: string): boolean {
  return file.endsWith('.engines.test.ts')
}

function needsMosquitto(file: string): boolean {
  return readFileSync(join(ROOT, file), 'utf8').includes("/mosquitto.ts'")
}

function needsPostgres(file: string): boolean {
  return isOfEitherEngine(file) || /postgres|move-database/.test(file)
}

if (import.meta.main) await main(() => runTests(process.argv.slice(2)))
