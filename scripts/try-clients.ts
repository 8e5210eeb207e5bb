import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { main, ROOT, run } from './run.ts'
import { findTests } from './test.ts'
import { type Page, readPage, type Row, TABLES } from './tested-clients.ts'

/** `npm run try:clients`: runs the tests of clients, and writes the tables of docs/doors.md and docs/integrations.md. */
await main(async () => {
  const files = findTests([], false).filter((file) =>
    readFileSync(join(ROOT, file), 'utf8').includes('testedClient(t, '),
  )
  const folder = mkdtempSync(join(tmpdir(), 'sdd-clients-'))
  try {
    const TESTED_CLIENTS = join(folder, 'rows')
    writeFileSync(TESTED_CLIENTS, '')
    const status = await run(process.execPath, ['scripts/test.ts', ...files], { env: { TESTED_CLIENTS } })
    const lines = readFileSync(TESTED_CLIENTS, 'utf8').trim().split('\n')
    const rows = lines.map((line) => JSON.parse(line) as Row)
    for (const page of Object.keys(TABLES) as Page[]) {
      const heading = `\n${TABLES[page]}\n`
      const [before, after] = readPage(page).split(heading)
      const said = after!.slice(0, after!.indexOf('\n|'))
      const table = tableFrom(rows.filter((row) => row.page === page))
      writeFileSync(join(ROOT, `docs/${page}.md`), `${before}${heading}${said}\n${table}`)
    }
    return status
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** One line for each client and attempt, with its result on each engine. */
function tableFrom(rows: Row[]): string {
  const lines = Array.from(Map.groupBy(rows, ({ cells }) => cells.join(' | ')).values(), (same) => {
    const [door, client, tried, test] = same[0]!.cells
    return `| ${door} | ${client} | ${tried} | ${resultOf(same)} | ${test} |\n`
  })
  const head = '| door | client | tried | result | test |\n| --- | --- | --- | --- | --- |\n'
  return head + lines.sort((a, b) => a.localeCompare(b, 'en')).join('')
}

function resultOf(rows: Row[]): string {
  const ENGINES: Record<string, string> = { '': '', sqlite: 'SQLite', postgres: 'PostgreSQL' }
  const on = (passed: boolean) => [
    ...new Set(rows.filter((row) => row.passed === passed).map(({ engine }) => ENGINES[engine]!)),
  ]
  const told = (word: string, engines: string[]) =>
    engines.length === 0
      ? []
      : [`${word} ${engines[0] ? `on ${engines.sort().reverse().join(' and ')}` : ''}`.trim()]
  return [...told('fails', on(false)), ...told('works', on(true))].join('; ')
}
