import { type Bench, type Measure, openResult, type ResultSheet } from '../bench.ts'
import { hasKannel, KANNEL_MISSING, type Kannel, type KannelStore, startKannel } from '../kannel.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { nextTask, repeat, startScene, untilCounted } from '../work.ts'

/** Tasks per request. */
const BATCH = 500
/** Requests under way at once, each with many tasks. */
const BATCHES_AT_ONCE = 2

/**
 * Messages a second from acceptance to the last delivery report, with every step committed before its answer. The
 * server, and Kannel between two of its rounds, handle the same number of messages.
 */
export const throughput: Measure = {
  ids: ['batches', 'single'],
  async run(bench, wanted) {
    const server = await startBenchServer(await bench.home('throughput'))
    const scene = await startScene(server, await gainAccess(server), bench)
    const kannels = await startKannels(bench)
    const [batches, single] = [openResult('batches'), openResult('single')]
    const inBatches = () =>
      repeat(Math.ceil(bench.messages / BATCH), BATCHES_AT_ONCE, () =>
        scene.handBatch(Math.min(BATCH, bench.messages)),
      )
    const oneByOne = () => repeat(bench.messages, bench.connections, () => scene.handOne())
    // A round that does not count: code is compiled when it first runs.
    await perSecond(bench.messages, scene, inBatches)
    await bench.postgres?.settle('throughput')

    async function measured(sheet: ResultSheet, hand: () => Promise<void>, theirs: Theirs): Promise<void> {
      const costs = await bench.costs(server)
      const per_s = await sheet.watched(() => perSecond(bench.messages, scene, hand))
      sheet.figure('messages/s', per_s)
      await costs(sheet, 'message', bench.messages)
      compare(sheet, per_s, theirs)
    }

    for (let round = 1; round <= bench.rounds; round++) {
      const theirs: Theirs = new Map()
      for (const [store, kannel] of kannels) {
        const cpu_us = kannel.cpu()
        const per_s = await perSecond(bench.messages, kannel, () => kannel.handAll(bench))
        theirs.set(store, { per_s, cpu_us: (kannel.cpu() - cpu_us) / bench.messages })
      }
      if (wanted.has('batches')) await measured(batches, inBatches, theirs)
      if (wanted.has('single')) await measured(single, oneByOne, theirs)
      bench.say(`throughput: round ${round} of ${bench.rounds}`)
    }

    await scene.close()
    await bench.close(server)
    for (const { stop } of kannels.values()) await stop()
    const results = [batches, single].filter((sheet) => wanted.has(sheet.row))
    if (kannels.size === 0) for (const sheet of results) sheet.note(KANNEL_MISSING)
    return results.map((sheet) => sheet.end())
  },
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

async function startKannels(bench: Bench) {
  const kannels = new Map<
    KannelStore,
    Kannel & { delivered(): number; handAll(bench: Bench): Promise<void> }
  >()
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
