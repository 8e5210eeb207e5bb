import { type Bench, type Measure, openResult, type ResultSheet, watchedBy } from '../bench.ts'
import type { Costs } from '../costs.ts'
import { hasKannel, KANNEL_MISSING, type Kannel, type KannelStore, startKannel } from '../kannel.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { openUpdates } from '../tables/updates.ts'
import { nextTask, repeat, startScene, untilCounted } from '../work.ts'

/** Tasks per request. */
const BATCH = 500
/** Requests under way at once, each with many tasks. */
const BATCHES_AT_ONCE = 2

/**
 * Messages a second from acceptance to the last delivery report, with every step committed before its answer. The
 * server, and Kannel between two of its rounds, handle the same number of messages. The rounds with batches also give
 * the cost of a message.
 */
export const throughput: Measure = {
  ids: ['batches', 'single', 'cpu', 'wal', 'hot'],
  async run(bench, wanted) {
    const home = await bench.home('throughput')
    const server = await startBenchServer(home)
    const scene = await startScene(server, await gainAccess(server), bench)
    const compares = wanted.has('batches') || wanted.has('single')
    const kannels = compares ? await startKannels(bench) : new Map<KannelStore, KannelLoad>()
    const [batches, single] = [openResult('batches'), openResult('single')]
    const [cpu, wal, hot] = [openResult('cpu'), openResult('wal'), openResult('hot')]
    const of_batches = [batches, cpu, wal, hot].filter(({ row }) => wanted.has(row))
    const inBatches = () => handInBatches(bench, scene)
    const oneByOne = () => repeat(bench.messages, bench.connections, () => scene.handOne())
    // A round that does not count: code is compiled when it first runs.
    await perSecond(bench.messages, scene, inBatches)
    await bench.postgres?.settle('throughput')

    async function measured(
      sheet: ResultSheet,
      { hand, theirs, watching }: { hand(): Promise<void>; theirs: Theirs; watching: readonly ResultSheet[] },
    ): Promise<Costs> {
      const costs = await bench.costs(server)
      const per_s = await watchedBy(watching, () => perSecond(bench.messages, scene, hand))
      sheet.figure('messages/s', per_s)
      const cost = await costs(sheet, 'message', bench.messages)
      compare(sheet, per_s, theirs)
      return cost
    }

    for (let round = 1; round <= bench.rounds; round++) {
      const theirs: Theirs = new Map()
      for (const [store, kannel] of kannels) {
        const cpu_us = kannel.cpu()
        const per_s = await perSecond(bench.messages, kannel, () => kannel.handAll(bench))
        theirs.set(store, { per_s, cpu_us: (kannel.cpu() - cpu_us) / bench.messages })
      }
      if (of_batches.length > 0) {
        const updates = wanted.has('hot') ? await openUpdates(home.settings['DATABASE_URL']!) : undefined
        const cost = await measured(batches, { hand: inBatches, theirs, watching: of_batches })
        noteCpu(cpu, cost)
        wal.value(cost.wal_bytes / 1_000)
        await updates?.note(hot, bench.messages)
      }
      if (wanted.has('single')) await measured(single, { hand: oneByOne, theirs, watching: [single] })
      bench.say(`throughput: round ${round} of ${bench.rounds}`)
    }

    await scene.close()
    await bench.close(server)
    for (const { stop } of kannels.values()) await stop()
    if (kannels.size === 0) for (const sheet of [batches, single]) sheet.note(KANNEL_MISSING)
    return [batches, single, cpu, wal, hot].filter(({ row }) => wanted.has(row)).map((sheet) => sheet.end())
  },
}

/** Submits a round of messages, many in each request. */
export function handInBatches(
  { messages }: Pick<Bench, 'messages'>,
  { handBatch }: { handBatch(tasks: number): Promise<void> },
): Promise<void> {
  return repeat(Math.ceil(messages / BATCH), BATCHES_AT_ONCE, () => handBatch(Math.min(BATCH, messages)))
}

/** The processor time of a message, with that of PostgreSQL. */
function noteCpu(sheet: ResultSheet, { cpu_us, postgres_cpu_us }: Costs): void {
  sheet.value(cpu_us + postgres_cpu_us)
  sheet.figure('CPU µs a message', cpu_us)
  if (postgres_cpu_us > 0) sheet.figure('PostgreSQL CPU µs a message', postgres_cpu_us)
  if (Number.isNaN(postgres_cpu_us)) sheet.note('PostgreSQL runs on another machine: its time is not known')
}

type Theirs = Map<KannelStore, { per_s: number; cpu_us: number }>

/** Messages a second that go the whole way, from the first one submitted to the last. */
export async function perSecond(
  messages: number,
  { delivered }: { delivered(): number },
  hand: () => Promise<void>,
): Promise<number> {
  const [began, before] = [performance.now(), delivered()]
  await hand()
  await untilCounted(() => delivered() - before, messages)
  return (messages * 1_000) / (performance.now() - began)
}

function compare(sheet: ResultSheet, per_s: number, theirs: Theirs): void {
  for (const [store, kannel] of theirs) {
    sheet.figure(`Kannel ${store} messages/s`, kannel.per_s)
    sheet.figure(`Kannel ${store} CPU µs a message`, kannel.cpu_us)
  }
  const spool = theirs.get('spool')
  if (spool) sheet.value(per_s / spool.per_s)
}

type KannelLoad = Kannel & { delivered(): number; handAll(bench: Bench): Promise<void> }

async function startKannels(bench: Bench) {
  const kannels = new Map<KannelStore, KannelLoad>()
  if (!hasKannel()) return kannels
  for (const store of ['spool', 'file'] as const) {
    let delivered = 0
    const on = { delivered: () => void delivered++ }
    const kannel = await startKannel({ folder: bench.folder, store, connections: bench.connections, on })
    const handAll = ({ messages, connections }: Bench) =>
      repeat(messages, connections, () => {
        const { to_number, text } = nextTask()
        return kannel.submit(to_number, text)
      })
    kannels.set(store, { ...kannel, delivered: () => delivered, handAll })
  }
  return kannels
}
