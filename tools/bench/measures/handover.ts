import { type Measure, openResult } from '../bench.ts'
import { hasKannel, KANNEL_MISSING, startKannel } from '../kannel.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { quantile } from '../statistics.ts'
import { atRate, nextTask, startScene } from '../work.ts'

const PER_S = 200
/** Requests are sent at a fixed rate and never wait for earlier ones. */
const CONNECTIONS = 256

/** The time from the request until a device, or Kannel's SMSC, has the message, at a rate that is easy for both. */
export const handover: Measure = {
  ids: ['handover'],
  async run(bench) {
    const server = await startBenchServer(await bench.home('handover'))
    const scene = await startScene(server, await gainAccess(server), { ...bench, connections: CONNECTIONS })
    const arrivals = new Map<string, (at_ms: number) => void>()
    const kannel = hasKannel()
      ? await startKannel({
          folder: bench.folder,
          store: 'spool',
          connections: CONNECTIONS,
          on: { given: (text) => arrivals.get(text)?.(performance.now()) },
        })
      : undefined
    const round_ms = (bench.messages * 1_000) / (3 * PER_S)
    const sheet = openResult('handover')

    async function viaKannel(): Promise<number> {
      const { guid, to_number } = nextTask()
      const arrived = new Promise<number>((resolve) => arrivals.set(guid, resolve))
      const began = performance.now()
      await kannel!.submit(to_number, guid)
      const took_ms = (await arrived) - began
      arrivals.delete(guid)
      return took_ms
    }

    async function timesOf(one: () => Promise<number>): Promise<{ p50: number; p99: number }> {
      const times: number[] = []
      await atRate(PER_S, { for_ms: round_ms }, async () => times.push(await one()))
      return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
    }

    await atRate(PER_S, { for_ms: round_ms / 4 }, scene.timeOne)
    await bench.postgres?.settle('handover')
    for (let round = 1; round <= bench.rounds; round++) {
      const theirs = kannel && (await timesOf(viaKannel))
      const costs = await bench.costs(server)
      const ours = await sheet.watched(() => timesOf(scene.timeOne))
      sheet.figure('p50 ms', ours.p50)
      sheet.figure('p99 ms', ours.p99)
      await costs(sheet, 'message', (round_ms * PER_S) / 1_000)
      if (theirs) {
        sheet.figure('Kannel spool p50 ms', theirs.p50)
        sheet.figure('Kannel spool p99 ms', theirs.p99)
        sheet.value(ours.p99 / theirs.p99)
      }
      bench.say(`handover: round ${round} of ${bench.rounds}`)
    }

    if (!kannel) sheet.note(KANNEL_MISSING)
    await kannel?.stop()
    await scene.close()
    await bench.close(server)
    return [sheet.end()]
  },
}
