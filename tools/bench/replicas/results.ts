import { join } from 'node:path'
import type { Result } from '../bench.ts'
import type { Machine } from '../machine.ts'
import { MARKS, RESULTS } from '../results.ts'
import { judge } from '../rows.ts'
import { shown, type Spread } from '../statistics.ts'

/** The stored form of one run with several servers. */
export type ReplicaRun = {
  at: string
  machine: Machine
  /** The PostgreSQL, and the transactions a second that one client commits on it. */
  database: string
  commits_per_s: number
  asked: { rounds: number; messages: number; devices: number }
  results: ReplicaResult[]
}
export type ReplicaResult = { replicas: number; batches: Result; single: Result; connections: Result }

export const REPLICA_RESULTS = join(RESULTS, 'replicas')

/** The Markdown tables for the page and the terminal. */
export function tablesOf({ results }: Pick<ReplicaRun, 'results'>): string {
  return [
    ...table(
      ['servers', '', ...MESSAGES.map(([name]) => name), 'what locks were waited for'],
      LOADS.flatMap(([load, title]) =>
        results.map(({ replicas, [load]: { figures } }) => [
          String(replicas),
          title,
          ...MESSAGES.map(([, figure]) => figureOf(figures, figure)),
          locksOf(figures),
        ]),
      ),
    ),
    '',
    ...growthOf(results),
    ...table(
      ['servers', ...CONNECTIONS.map(([name]) => name)],
      results.map(({ replicas, connections: { figures } }) => [
        String(replicas),
        ...CONNECTIONS.map(([, figure]) => figureOf(figures, figure)),
      ]),
    ),
  ].join('\n')
}

const LOADS = [
  ['batches', 'tasks in batches'],
  ['single', 'one a request'],
] as const

/** How much more processor time a message may take with several servers than with one. */
const GROWTH = { better: 'less', floor: 1.15, goal: 1.05 } as const

/** A table of the processor time of a message, compared with one server's; none without that. */
function growthOf(results: readonly ReplicaResult[]): string[] {
  const one = results.find(({ replicas }) => replicas === 1)
  const several = results.filter(({ replicas }) => replicas > 1)
  if (one === undefined || several.length === 0) return []
  const lines = LOADS.flatMap(([load, title]) =>
    several.map((result) => {
      const cpu_us = cpuOf(result[load])
      const growth = cpu_us / cpuOf(one[load])
      const verdict = Number.isFinite(growth) ? MARKS[judge(GROWTH, growth)] : '–'
      const marks = [GROWTH.floor, GROWTH.goal].map(String)
      return [String(result.replicas), title, shown(cpu_us), `**${shown(growth)} ×**`, ...marks, verdict]
    }),
  )
  const head = [
    'servers',
    '',
    'CPU µs a message, with PostgreSQL',
    '÷ that of one server',
    'floor',
    'goal',
    '',
  ]
  return [...table(head, lines), '']
}

/** Of the servers and PostgreSQL. */
function cpuOf({ figures }: Result): number {
  const each = (name: string) => figures[name]?.median ?? NaN
  return each('CPU µs a message') + each('PostgreSQL CPU µs a message')
}

/** The columns, and the value that each shows. */
const MESSAGES = [
  ['messages/s', 'messages/s'],
  ['CPU µs a message: servers', 'CPU µs a message'],
  ['PostgreSQL', 'PostgreSQL CPU µs a message'],
  ['generator', 'generator CPU µs a message'],
  ['WAL bytes a message', 'WAL bytes a message'],
  ['commits a message', 'commits a message'],
  ['% of the time sessions that write waited for a lock', '% of the time locked'],
  ['for the disk', '% of the time at the disk'],
  ['within PostgreSQL', '% of the time inside'],
  ['for their server', '% of the time waiting for its server'],
  ['were at work', '% of the time at work'],
  ['had nothing to do', '% of the time idle'],
  ['deadlocks', 'deadlocks'],
] as const

const CONNECTIONS = [
  ['s until all devices are back, connecting at once', 's until all are connected'],
  ['CPU µs a device: servers', 'CPU µs a device'],
  ['PostgreSQL', 'PostgreSQL CPU µs a device'],
  [
    's after one server was killed, until its devices are at the others',
    's after one has died until its devices are elsewhere',
  ],
] as const

function table(head: readonly string[], lines: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`)
}

function figureOf(figures: Record<string, Spread>, name: string): string {
  const spread = figures[name]
  return spread ? shown(spread.median) : '–'
}

function locksOf(figures: Record<string, Spread>): string {
  const name = '% of the time a lock in '
  return (
    Object.entries(figures)
      .filter(([figure]) => figure.startsWith(name))
      .map(([figure, { median }]) => `${figure.slice(name.length)} ${shown(median)} %`)
      .join(', ') || '–'
  )
}
