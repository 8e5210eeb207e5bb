export type Engine = 'SQLite' | 'PostgreSQL'

/** The value that a row must reach, and the value to aim for. */
export type Marks = { floor: number; goal: number }

/** A measurement on one engine: `npm run bench -- <id> …` runs only these. */
export type Row = RowText & Marks

type RowText = {
  id: RowId
  /** The title of the shown value. */
  title: string
  unit: string
  /** Whether more or less of it is better. */
  better: 'more' | 'less'
}

export type RowId =
  | 'batches'
  | 'single'
  | 'cpu'
  | 'wal'
  | 'hot'
  | 'packets'
  | 'packets-batches'
  | 'packets-cpu'
  | 'packets-batches-cpu'
  | 'busy-page'
  | 'accept'
  | 'doors'
  | 'handover'
  | 'campaign'
  | 'conversations'
  | 'conversation-search'
  | 'received'
  | 'screen'
  | 'hours'
  | 'routes'
  | 'idle'
  | 'reconnect'
  | 'status'
  | 'pages'
  | 'number'
  | 'text'
  | 'start'
  | 'growth'
  | 'disk'
  | 'memory'
  | 'passwords'
  | 'loop'

const both = (floor: number, goal: number) => ({ SQLite: { floor, goal }, PostgreSQL: { floor, goal } })

/** The rows, with their marks on the engines on which they are measured. */
export const rows: readonly (RowText & { marks: Partial<Record<Engine, Marks>> })[] = [
  {
    id: 'batches',
    title:
      'messages from acceptance to delivery, tasks in batches, 1,000 devices ÷ Kannel with its spool store',
    unit: '×',
    better: 'more',
    marks: { SQLite: { floor: 2.5, goal: 4 }, PostgreSQL: { floor: 1.2, goal: 2 } },
  },
  {
    id: 'single',
    title: 'the same, one message a request, 64 connections ÷ Kannel with its spool store',
    unit: '×',
    better: 'more',
    marks: { SQLite: { floor: 2, goal: 3 }, PostgreSQL: { floor: 1, goal: 1.5 } },
  },
  {
    id: 'cpu',
    title: 'processor time of each message of `batches`, with that of PostgreSQL',
    unit: 'µs',
    better: 'less',
    marks: { SQLite: { floor: 250, goal: 150 }, PostgreSQL: { floor: 500, goal: 300 } },
  },
  {
    id: 'wal',
    title: 'WAL of each message of `batches`',
    unit: 'KB',
    better: 'less',
    marks: { PostgreSQL: { floor: 5, goal: 3 } },
  },
  {
    id: 'hot',
    title: 'updates in `batches` that touch no index (HOT)',
    unit: '%',
    better: 'more',
    marks: { PostgreSQL: { floor: 80, goal: 95 } },
  },
  {
    id: 'packets',
    title: 'messages a second, one a request, 5,000 devices, each report in its own packet',
    unit: 'messages/s',
    better: 'more',
    marks: both(2_000, 3_500),
  },
  {
    id: 'packets-batches',
    title: 'the same, tasks in batches',
    unit: 'messages/s',
    better: 'more',
    marks: both(2_800, 5_000),
  },
  {
    id: 'packets-cpu',
    title: 'processor time of the server for each message of `packets`',
    unit: 'µs',
    better: 'less',
    marks: both(450, 250),
  },
  {
    id: 'packets-batches-cpu',
    title: 'processor time of the server for each message of `packets-batches`',
    unit: 'µs',
    better: 'less',
    marks: both(350, 200),
  },
  {
    id: 'busy-page',
    title: 'page of 500 messages while 850 a second flow as in `packets-batches`, p99',
    unit: 'ms',
    better: 'less',
    marks: both(60, 25),
  },
  {
    id: 'accept',
    title: 'requests accepted and durable ÷ node:http echoing the same body',
    unit: '×',
    better: 'more',
    marks: { SQLite: { floor: 0.5, goal: 0.6 }, PostgreSQL: { floor: 0.4, goal: 0.6 } },
  },
  {
    id: 'doors',
    title:
      'SMS accepted and durable by the slower of the doors for Kannel and SMPP ÷ one task a request by the API',
    unit: '×',
    better: 'more',
    marks: both(0.7, 0.9),
  },
  {
    id: 'handover',
    title: 'request until the device has it, 200 a second, p99 ÷ Kannel with its spool store',
    unit: '×',
    better: 'less',
    marks: { SQLite: { floor: 1, goal: 0.3 }, PostgreSQL: { floor: 0.5, goal: 0.3 } },
  },
  {
    id: 'campaign',
    title: 'rows of a campaign from their upload until a device has the first message',
    unit: '/s',
    better: 'more',
    marks: both(3_400, 20_000),
  },
  {
    id: 'conversations',
    title: 'first page of 100,000 conversations with a million received SMS while 50 a second arrive, p99',
    unit: 'ms',
    better: 'less',
    marks: both(20, 10),
  },
  {
    id: 'conversation-search',
    title: 'search there by number, text and text without accents, p99',
    unit: 'ms',
    better: 'less',
    marks: both(200, 100),
  },
  {
    id: 'received',
    title: 'processor time of each received SMS, with its conversation and search index',
    unit: 'µs',
    better: 'less',
    marks: { SQLite: { floor: 1_000, goal: 500 }, PostgreSQL: { floor: 2_000, goal: 1_000 } },
  },
  {
    id: 'screen',
    title: 'SMS that is received while 50 a second arrive, until it is on the open screen, p95',
    unit: 'ms',
    better: 'less',
    marks: both(1_000, 700),
  },
  {
    id: 'hours',
    title: 'processor time of a message in a company with sending hours ÷ without',
    unit: '×',
    better: 'less',
    marks: both(1.05, 1.02),
  },
  {
    id: 'routes',
    title: 'processor time of a claim of messages that 50 routes lead to 50 groups ÷ without routes',
    unit: '×',
    better: 'less',
    marks: both(2, 1.05),
  },
  {
    id: 'idle',
    title: '10,000 idle devices: memory of each',
    unit: 'KiB',
    better: 'less',
    marks: both(35, 15),
  },
  {
    id: 'reconnect',
    title: '10,000 devices connecting at once after a restart, until all are live',
    unit: 's',
    better: 'less',
    marks: { SQLite: { floor: 15, goal: 5 }, PostgreSQL: { floor: 8, goal: 5 } },
  },
  {
    id: 'status',
    title: 'status of a device until a browser has it, 1,000 flapping, p99',
    unit: 'ms',
    better: 'less',
    marks: both(250, 50),
  },
  {
    id: 'pages',
    title: 'any page of a log of 10 million while 1,000 messages a second flow, p99',
    unit: 'ms',
    better: 'less',
    marks: { SQLite: { floor: 10, goal: 5 }, PostgreSQL: { floor: 20, goal: 10 } },
  },
  {
    id: 'number',
    title: 'search there by number or guid, p99',
    unit: 'ms',
    better: 'less',
    marks: both(50, 10),
  },
  {
    id: 'text',
    title: 'search there in the text, p99',
    unit: 'ms',
    better: 'less',
    marks: both(500, 100),
  },
  {
    id: 'start',
    title: 'start of the server until it is ready, 10 million messages',
    unit: 's',
    better: 'less',
    marks: both(3, 1),
  },
  {
    id: 'growth',
    title: 'processor time of a message, at up to 10 million stored messages ÷ at 10 thousand',
    unit: '×',
    better: 'less',
    marks: both(1.15, 1.05),
  },
  {
    id: 'disk',
    title: 'bytes on disk of each settled message, with its indexes',
    unit: 'KB',
    better: 'less',
    marks: both(1.2, 0.8),
  },
  {
    id: 'memory',
    title: 'memory, 1,000 devices and 1,000 messages a second, at most',
    unit: 'MiB',
    better: 'less',
    marks: both(200, 150),
  },
  {
    id: 'passwords',
    title: 'request with a task while 160 to 200 passwords are asked for at any time, p99',
    unit: 'ms',
    better: 'less',
    marks: both(100, 50),
  },
  {
    id: 'loop',
    title: 'the event loop was never blocked for longer than, in all of the above',
    unit: 'ms',
    better: 'less',
    marks: both(50, 50),
  },
]

/** The rows that are measured on this engine, with its marks. */
export function rowsOn(engine: Engine): Row[] {
  return rows.flatMap(({ marks: { [engine]: marks }, ...row }) => (marks ? [{ ...row, ...marks }] : []))
}

export type Verdict = 'goal' | 'floor' | 'below'

export function judge(
  { better, floor, goal }: Pick<Row, 'better' | 'floor' | 'goal'>,
  value: number,
): Verdict {
  const reaches = (mark: number) => (better === 'more' ? value >= mark : value <= mark)
  return reaches(goal) ? 'goal' : reaches(floor) ? 'floor' : 'below'
}

/** The share of the goal that is reached: 1 at the goal, more beyond it. */
export function shareOfGoal({ better, goal }: Pick<Row, 'better' | 'goal'>, value: number): number {
  return better === 'more' ? value / goal : goal / value
}
