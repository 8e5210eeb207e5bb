/** The measurements: `npm run bench -- <id> …` runs only these. */
export type Row = {
  id: RowId
  /** The title of the shown value. */
  title: string
  unit: string
  /** Whether more or less of it is better. */
  better: 'more' | 'less'
  /** The value that it must reach, and the value to aim for. */
  floor: number
  goal: number
}

export type RowId =
  | 'batches'
  | 'single'
  | 'accept'
  | 'handover'
  | 'idle'
  | 'reconnect'
  | 'status'
  | 'pages'
  | 'number'
  | 'text'
  | 'start'
  | 'memory'
  | 'passwords'
  | 'loop'

export const rows: readonly Row[] = [
  {
    id: 'batches',
    title:
      'messages from acceptance to delivery, tasks in batches, 1,000 devices ÷ Kannel with its spool store',
    unit: '×',
    better: 'more',
    floor: 1,
    goal: 2,
  },
  {
    id: 'single',
    title: 'the same, one message a request, 64 connections ÷ Kannel with its spool store',
    unit: '×',
    better: 'more',
    floor: 0.7,
    goal: 1.2,
  },
  {
    id: 'accept',
    title: 'requests accepted and durable ÷ node:http echoing the same body',
    unit: '×',
    better: 'more',
    floor: 0.4,
    goal: 0.6,
  },
  {
    id: 'handover',
    title: 'request until the device has it, 200 a second, p99 ÷ Kannel with its spool store',
    unit: '×',
    better: 'less',
    floor: 1,
    goal: 0.3,
  },
  {
    id: 'idle',
    title: '10,000 idle devices: memory of each',
    unit: 'KiB',
    better: 'less',
    floor: 35,
    goal: 15,
  },
  {
    id: 'reconnect',
    title: '10,000 devices connecting at once after a restart, until all are live',
    unit: 's',
    better: 'less',
    floor: 15,
    goal: 5,
  },
  {
    id: 'status',
    title: 'status of a device until a browser has it, 1,000 flapping, p99',
    unit: 'ms',
    better: 'less',
    floor: 250,
    goal: 50,
  },
  {
    id: 'pages',
    title: 'any page of a log of 10 million while 1,000 messages a second flow, p99',
    unit: 'ms',
    better: 'less',
    floor: 20,
    goal: 5,
  },
  {
    id: 'number',
    title: 'search there by number or guid, p99',
    unit: 'ms',
    better: 'less',
    floor: 50,
    goal: 10,
  },
  { id: 'text', title: 'search there in the text, p99', unit: 'ms', better: 'less', floor: 500, goal: 100 },
  {
    id: 'start',
    title: 'start of the server until it is ready, 10 million messages',
    unit: 's',
    better: 'less',
    floor: 3,
    goal: 1,
  },
  {
    id: 'memory',
    title: 'memory, 1,000 devices and 1,000 messages a second, at most',
    unit: 'MiB',
    better: 'less',
    floor: 250,
    goal: 150,
  },
  {
    id: 'passwords',
    title: 'request with a task while 160 to 200 passwords are asked for at any time, p99',
    unit: 'ms',
    better: 'less',
    floor: 100,
    goal: 50,
  },
  {
    id: 'loop',
    title: 'the event loop was never blocked for longer than, in all of the above',
    unit: 'ms',
    better: 'less',
    floor: 50,
    goal: 50,
  },
]

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
