import { type Bench, type Measure, openResult, type ResultSheet } from '../bench.ts'
import { hasKannel, KANNEL_MISSING, type Kannel, type KannelStore, startKannel } from '../kannel.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { nextTask, repeat, startScene, untilCounted } from '../work.ts'

/** Tasks of one request. */
const BATCH = 500
/** Requests under way at once, where each hands in many. */
const BATCHES_AT_ONCE = 2

/**
 * Messages a second from acceptance to the last delivery report, every step committed before it is answered: the
 * server, and Kannel between two of its rounds, take the same number of messages.
 */
export const throughput: Measure = {
  ids: ['batches', 'single'],
  async run(bench, wanted) {
    const server = await startBenchServer(bench.home('throughput'))
    const scene = await startScene(server, await gainAccess(server), bench)
    const kannels = await startKannels(bench)
    const [batches, single] = [openResult('batches'), openResult('single')]
    const ours = { cpu: () => server.child.cpu(), delivered: scene.delivered }
    const inBatches = () =>
      repeat(Math.ceil(bench.messages / BATCH), BATCHES_AT_ONCE, () =>
        scene.handBatch(Math.min(BATCH, bench.messages)),
      )
    const oneByOne = () => repeat(bench.messages, bench.connections, () => scene.handOne())
    // Not counted: what runs for the first time is compiled first.
    await timed(bench.messages, ours, inBatches)

    for (let round = 1; round <= bench.rounds; round++) {
      const theirs = new Map<KannelStore, Timed>()
      for (const [store, kannel] of kannels)
        theirs.set(store, await timed(bench.messages, kannel, () => kannel.handAll(bench)))
      if (wanted.has('batches'))
        note(batches, await batches.watched(() => timed(bench.messages, ours, inBatches)), theirs)
      if (wanted.has('single'))
        note(single, await single.watched(() => timed(bench.messages, ours, oneByOne)), theirs)
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

type Timed = { per_s: number; cpu_us: number }

async function timed(
  messages: number,
  { cpu, delivered }: { cpu(): number; delivered(): number },
  hand: () => Promise<void>,
): Promise<Timed> {
  const [began, cpu_before, before] = [performance.now(), cpu(), delivered()]
  await hand()
  await untilCounted(() => delivered() - before, messages)
  const ms = performance.now() - began
  return { per_s: (messages * 1_000) / ms, cpu_us: (cpu() - cpu_before) / messages }
}

function note(sheet: ResultSheet, ours: Timed, theirs: ReadonlyMap<KannelStore, Timed>): void {
  sheet.figure('messages/s', ours.per_s)
  sheet.figure('CPU µs a message', ours.cpu_us)
  for (const [store, { per_s, cpu_us }] of theirs) {
    sheet.figure(`Kannel ${store} messages/s`, per_s)
    sheet.figure(`Kannel ${store} CPU µs a message`, cpu_us)
  }
  const spool = theirs.get('spool')
  if (spool) sheet.value(ours.per_s / spool.per_s)
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
