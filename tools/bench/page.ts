import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/run.ts'
import { drawBars, drawCourse, drawGoals } from './charts.ts'
import { aroundInWords, MARKS, type Newest, newestOf, readRuns, type Run, spreadInWords } from './results.ts'
import { type Engine, judge, type RowId, rowsOn } from './rows.ts'
import { shown } from './statistics.ts'

/** The page, whose pictures are next to it. */
export const PAGE = join(ROOT, 'docs/performance.md')
const IMAGES = join(ROOT, 'docs/images')

const BEGIN = '<!-- Written by `npm run bench`, down to the next comment. -->'
const END = '<!-- Until here. -->'

/** Updates the page and its pictures to the newest result of each row, and returns the paths of the written files. */
export function writePage(): string[] {
  const runs = readRuns()
  const newest = { SQLite: newestOf(runs, 'SQLite'), PostgreSQL: newestOf(runs, 'PostgreSQL') }
  const pictures = picturesOf(newest.SQLite)
  mkdirSync(IMAGES, { recursive: true })
  for (const [name, svg] of pictures) writeFileSync(join(IMAGES, name), svg)
  writeFileSync(PAGE, pageWith(newest, readFileSync(PAGE, 'utf8')))
  return [PAGE, ...[...pictures.keys()].map((name) => join(IMAGES, name))]
}

/** The page with its results replaced by these. */
export function pageWith(newest: Record<Engine, readonly Newest[]>, page: string): string {
  return withSection(page, sectionOf(newest), PAGE)
}

/** The page with the section between its marks replaced. */
export function withSection(page: string, section: string, path: string): string {
  const [before, rest] = page.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined)
    throw new Error(`${path} has lost its marks: ${BEGIN} … ${END}`)
  return `${before}${BEGIN}\n\n${section}\n${END}${after}`
}

function sectionOf({ SQLite, PostgreSQL }: Record<Engine, readonly Newest[]>): string {
  const runs = [...new Set([...SQLite, ...PostgreSQL].map(({ run }) => run))]
  const images = [...picturesOf(SQLite).keys()].map((name) => `![${altOf(name)}](images/${name})\n`)
  return [
    '| row | what | measured | floor | goal | |',
    '| --- | --- | --- | --- | --- | --- |',
    ...SQLite.map(lineOf),
    '',
    ...images,
    ...(PostgreSQL.length > 0 ? ON_POSTGRES : []),
    ...PostgreSQL.map((one) => lineOnPostgres(one, SQLite)),
    ...(PostgreSQL.length > 0 ? [''] : []),
    '### Every figure',
    '',
    'The median of the rounds, and in brackets the least and the most of them.',
    '',
    ...SQLite.map(detailOf),
    '',
    ...(PostgreSQL.length > 0 ? ['On PostgreSQL:', '', ...PostgreSQL.map(detailOf), ''] : []),
    '### On what',
    '',
    ...runs.map(originOf),
    '',
  ].join('\n')
}

function lineOf({ row, result }: Newest): string {
  const { title, unit, floor, goal } = row
  const { median } = result.value
  const verdict = Number.isFinite(median) ? MARKS[judge(row, median)] : 'no ratio'
  return `| \`${row.id}\` | ${title} | **${shown(median)} ${unit}** | ${floor} | ${goal} | ${verdict} |`
}

const ON_POSTGRES = [
  '### On PostgreSQL',
  '',
  'One server over a PostgreSQL on the same machine, `npm run bench -- --postgres`. Its processor time is that of all its',
  'processes, measured together with that of the server. The ratios are to the same as above.',
  '',
  '| row | measured | floor | goal | | on SQLite | CPU µs: server | PostgreSQL | WAL bytes |',
  '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
]

function lineOnPostgres({ row, result }: Newest, others: readonly Newest[]): string {
  const { id, title, unit, floor, goal } = row
  const { median } = result.value
  const verdict = Number.isFinite(median) ? MARKS[judge(row, median)] : 'no ratio'
  const name = rowsOn('SQLite').some((one) => one.id === id) ? `\`${id}\`` : `\`${id}\`: ${title}`
  const other = others.find((one) => one.row.id === id)?.result.value.median ?? NaN
  const figure = (begin: string) => {
    const found = Object.entries(result.figures).find(([name]) => name.startsWith(begin))
    return found ? shown(found[1].median) : '–'
  }
  const costs = ['CPU µs', 'PostgreSQL CPU µs', 'WAL bytes'].map(figure).join(' | ')
  return `| ${name} | **${shown(median)} ${unit}** | ${floor} | ${goal} | ${verdict} | ${shown(other)} | ${costs} |`
}

function detailOf({ row, result }: Newest): string {
  const { value, figures, notes, ...around } = result
  const all = [
    `${spreadInWords(value)} ${row.unit}`,
    ...Object.entries(figures).map(([name, spread]) => `${name} ${spreadInWords(spread)}`),
    ...aroundInWords(around),
    ...notes,
  ]
  return `- \`${row.id}\`: ${all.join(' · ')}`
}

function originOf({ at, machine, asked, commits_per_s, results }: Run): string {
  const { cpu, cores, memory_gib, kernel, node, fsync_ms } = machine
  const { rounds, messages, devices, rows, minutes, database } = asked
  const busiest = Math.max(...results.map(({ load }) => load))
  const disturbed =
    busiest > 2 * cores
      ? ' **Other work kept the machine busy: these times and rates say little, the processor times more.**'
      : ''
  return (
    `- ${at.slice(0, 16).replace('T', ' ')} UTC: ${cpu}, ${cores} cores, ${memory_gib} GiB, ${kernel}, Node ${node}, ` +
    `${database}${commits_per_s === undefined ? '' : `. One client commits ${shown(commits_per_s)} transactions a second`}; 4 KiB on disk in ${shown(fsync_ms)} ms; load average up to ${busiest.toFixed(1)}. Rounds: ${rounds}, ` +
    `of ${shown(messages)} messages; ${shown(devices)} devices; ${shown(rows)} messages in the log; minutes of ` +
    `\`memory\`: ${shown(minutes)}.${disturbed}`
  )
}

/** The pictures for which these results have values, by file name. */
export function picturesOf(newest: readonly Newest[]): Map<string, string> {
  const of = (id: RowId) => newest.find(({ row }) => row.id === id)?.result
  const pictures = new Map<string, string>()
  const lines = newest
    .map(({ row, result }) => ({ row, value: result.value.median }))
    .filter(({ value }) => Number.isFinite(value))
  if (lines.length > 0) pictures.set(GOALS, drawGoals('How much of its goal each row reaches', lines))

  const bars = [
    ...barsOf(of('batches'), { 'messages/s': 'in batches' }, true),
    ...barsOf(of('single'), { 'messages/s': 'one a request' }, true),
    ...barsOf(of('batches') ?? of('single'), {
      'Kannel spool messages/s': 'Kannel, spool store',
      'Kannel file messages/s': 'Kannel, file store',
    }),
  ]
  if (bars.length > 0)
    pictures.set(
      THROUGHPUT,
      drawBars({ title: 'Messages a second, from acceptance to delivery report', bars }),
    )

  const memory = of('memory')?.figures['MiB in the course of it']?.rounds
  if (memory && memory.length > 1) {
    const title = 'Memory at 1,000 devices and 1,000 messages a second'
    pictures.set(MEMORY, drawCourse({ title, unit: 'MiB', values: memory, end: 'time' }))
  }
  return pictures
}

const GOALS = 'performance-goals.svg'
const THROUGHPUT = 'performance-throughput.svg'
const MEMORY = 'performance-memory.svg'

function altOf(name: string): string {
  const alts: Record<string, string> = {
    [GOALS]: 'How much of its goal each row reaches',
    [THROUGHPUT]: 'Messages a second, compared with Kannel',
    [MEMORY]: 'Memory in the course of the row memory',
  }
  return alts[name] ?? name
}

function barsOf(result: Newest['result'] | undefined, names: Record<string, string>, ours = false) {
  return Object.entries(names).flatMap(([figure, name]) => {
    const spread = result?.figures[figure]
    return spread ? [{ name, spread, ours }] : []
  })
}
