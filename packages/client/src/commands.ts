import { SddError, textOf } from './client.ts'
import { UsageError } from './config.ts'
import { followInbox, followLog, limitOf } from './following.ts'
import { deviceLine, logLine, smsLine, taskLine } from './lines.ts'
import type { Command, Options, Run } from './run.ts'
import type { NewTask, Task, TaskFilter } from './types.ts'

const POLL_MS = 1_000
const ENDED: readonly Task['state'][] = ['completed', 'failed', 'uncertain', 'expired', 'discarded']

/** Each command by its name. */
export const commands: Readonly<Record<string, Command>> = {
  send: {
    usage: 'send NUMBER TEXT|-',
    about:
      'sends an SMS, and prints its guid. "-" reads the text from the input. --guid, --from, --class, --wait',
    words: 2,
    run: sendOne,
  },
  task: {
    usage: 'task GUID',
    about: 'prints a task as JSON',
    words: 1,
    async run({ sdd, args, say, signal }) {
      say(JSON.stringify(await sdd.task(args[0]!, { signal }), null, 2))
      return 0
    },
  },
  tasks: {
    usage: 'tasks',
    about: 'lists tasks, the newest first. --state, --search, --from-time, --to-time, --limit',
    words: 0,
    run: ({ sdd, options, say, signal }) =>
      list(sdd.tasks(filterOf(options), { signal }), options, say, taskLine),
  },
  discard: {
    usage: 'discard GUID',
    about: 'discards a task that has not gone out',
    words: 1,
    async run({ sdd, args, say, signal }) {
      say((await sdd.discard(args[0]!, { signal })).state)
      return 0
    },
  },
  inbox: {
    usage: 'inbox',
    about: 'lists received SMS. --search, --limit, --follow',
    words: 0,
    run: (run) =>
      run.options.follow
        ? followInbox(run)
        : list(
            run.sdd.inbox({ search: run.options.search }, { signal: run.signal }),
            run.options,
            run.say,
            smsLine,
          ),
  },
  devices: {
    usage: 'devices',
    about: 'lists the devices with their state (for people)',
    words: 0,
    async run({ sdd, options, say, signal }) {
      type Answer = { devices: Parameters<typeof deviceLine>[0][] }
      const { devices } = await sdd.json<Answer>('GET', '/api/device-list', { signal })
      for (const device of devices) say(options.json ? JSON.stringify(device) : deviceLine(device))
      return 0
    },
  },
  log: {
    usage: 'log',
    about: 'prints the newest messages of the log (for people). --state, --search, --limit, --follow',
    words: 0,
    run: (run) => followLog(run, logLine),
  },
  export: {
    usage: 'export tasks|log',
    about: 'writes CSV to the output. --state, --search, --from-time, --to-time',
    words: 1,
    run: exportAll,
  },
}

async function sendOne({ sdd, args, options, say, readInput, signal }: Run): Promise<number> {
  const [to_number, given] = args as [string, string]
  const text = given === '-' ? (await readInput()).trimEnd() : given
  const task: NewTask = {
    to_number,
    text,
    guid: options.guid ?? crypto.randomUUID(),
    from_number: options.from,
    class: options.class as NewTask['class'],
  }
  const { guid } = await sdd.send(task, { signal }).catch((cause: unknown) => {
    throw signal.aborted ? Object.assign(new SddError('Interrupted', { cause }), { tasks: [task] }) : cause
  })
  say(guid)
  if (!options.wait) return 0
  for (;;) {
    const task = await sdd.task(guid, { signal })
    if (ENDED.includes(task.state)) {
      say(task.error_msg ? `${task.state}: ${task.error_msg}` : task.state)
      return task.state === 'completed' ? 0 : 3
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

async function exportAll({ sdd, args, options, write, signal }: Run): Promise<number> {
  const paths: Record<string, string> = { tasks: '/api/external-tasks.csv', log: '/api/logs/devices.csv' }
  const path = Object.hasOwn(paths, args[0]!) ? paths[args[0]!] : undefined
  if (path === undefined) throw new UsageError(`There is no export of ${args[0]!}: tasks and log have one`)
  const answer = await sdd.request('GET', path, { query: filterOf(options), signal })
  for await (const piece of textOf(answer)) write(piece)
  return 0
}

async function list<Row>(
  rows: AsyncIterable<Row>,
  options: Options,
  say: Run['say'],
  lineOf: (row: Row) => string,
): Promise<number> {
  let left = limitOf(options, 50)
  for await (const row of rows) {
    say(options.json ? JSON.stringify(row) : lineOf(row))
    if (--left === 0) break
  }
  return 0
}

function filterOf(options: Options): TaskFilter {
  const { state, search, 'from-time': from, 'to-time': to } = options
  return { state, search, from, to }
}
