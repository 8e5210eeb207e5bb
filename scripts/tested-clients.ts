import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { TestContext } from 'node:test'
import { ROOT } from './run.ts'

/** The pages with a table of tested clients, and its heading. It is the last part of each. */
export const TABLES = { doors: '## Tested clients', integrations: '## Tested programs' } as const
export type Page = keyof typeof TABLES

type Tested = {
  /** By default `doors`. */
  page?: Page
  /** The interface that the client used. */
  door: string
  client: string
  /** The package whose version is named: of npm, or of Debian. */
  npm?: string
  debian?: string
  tried: string
}

/** A row as `npm run try:clients` gets it from a test. */
export type Row = { page: Page; cells: string[]; engine: string; passed: boolean }

/**
 * Makes this test a row of the page's table. `npm run try:clients` writes the table. Every other run compares: the page
 * must have the row, and tell that it works.
 */
export function testedClient(
  t: TestContext,
  { page = 'doors', door, client, npm, debian, tried }: Tested,
): void {
  const version = npm ? ` ${npmVersion(npm)}` : debian ? ` ${debianVersion(debian)} (Debian)` : ''
  const own = fileOf(t)
  const test = `\`${own}\` "${t.name}"`
  const cells = [door, `${client}${version}`, tried, test]
  const file = process.env['TESTED_CLIENTS']
  if (file !== undefined) {
    const isOfEngine = own.endsWith('.engines.test.ts')
    const engine = isOfEngine ? (process.env['TEST_ENGINE'] ?? '') : ''
    t.after(() => {
      const row: Row = { page, cells, engine, passed: t.passed }
      appendFileSync(file, `${JSON.stringify(row)}\n`)
    })
    return
  }
  const told = tableOf(page).some((line) => {
    const [itsDoor, itsClient, itsTried, result, itsTest] = cellsOf(line)
    const same = [itsDoor, withoutDebian(itsClient!), itsTried, itsTest].join('|')
    return same === cells.map(withoutDebian).join('|') && result!.startsWith('works')
  })
  assert.ok(told, `docs/${page}.md has no row "${cells.join(' | ')}" that works: npm run try:clients`)
}

/** The rows of the page's table. */
export function tableOf(page: Page): string[] {
  const [, table] = readPage(page).split(`\n${TABLES[page]}\n`)
  return table!.match(/^\| (?!door |---).+$/gm) ?? []
}

export function cellsOf(line: string): string[] {
  return line.slice(2, -2).split(' | ')
}

export function readPage(page: Page): string {
  return readFileSync(join(ROOT, `docs/${page}.md`), 'utf8')
}

/** The test's file, by its path from the root: the name of its suite in scripts/test-group.ts. */
function fileOf({ fullName, filePath }: TestContext): string {
  return /^\S+\.test\.tsx?(?= (on PostgreSQL )?> )/.exec(fullName)?.[0] ?? relative(ROOT, filePath!)
}

/** Debian's version depends on the machine. */
function withoutDebian(cell: string): string {
  return cell.replace(/ \S+ \(Debian\)$/, '')
}

function npmVersion(name: string): string {
  const folders = ['node_modules', 'packages/server/node_modules', 'packages/mcp/node_modules']
  for (const folder of folders)
    try {
      const manifest = readFileSync(join(ROOT, folder, name, 'package.json'), 'utf8')
      return (JSON.parse(manifest) as { version: string }).version
    } catch {}
  throw new Error(`${name} is not installed`)
}

function debianVersion(name: string): string {
  return execFileSync('dpkg-query', ['-W', '-f', '${source:Upstream-Version}', name], { encoding: 'utf8' })
}
