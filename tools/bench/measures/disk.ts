import { setTimeout as sleep } from 'node:timers/promises'
import { type Measure, openResult } from '../bench.ts'
import { gainAccess, startBenchServer } from '../server.ts'
import { openTables, type Tables } from '../tables.ts'
import { startScene } from '../work.ts'
import { handInBatches, perSecond } from './throughput.ts'

/** Ten rounds, one after another: a longer queue than that of a round would leave larger tables. */
const ROUNDS = 10
/** The search index of PostgreSQL covers this many messages with each row, so fewer may stay out of it. */
const TOGETHER = 8
/** Smaller parts are not shown. */
const LEAST_KB = 0.001

/** The bytes on disk of each message of a fresh installation, once all of them have ended and can be searched. */
export const disk: Measure = {
  ids: ['disk'],
  async run(bench) {
    const messages = bench.messages * ROUNDS
    const home = await bench.home('disk')
    const server = await startBenchServer(home)
    const scene = await startScene(server, await gainAccess(server), bench)
    const sheet = openResult('disk')
    const tables = await openTables(home)
    const kbOfEach = (bytes: number) => bytes / messages / 1_000
    const bytes = await tables.bytes()
    const parts = new Map((await tables.parts()).map((part) => [part.name, part.bytes]))

    for (let round = 1; round <= ROUNDS; round++) {
      await sheet.watched(() => perSecond(bench.messages, scene, () => handInBatches(bench, scene)))
      bench.say(`disk: ${(round * bench.messages).toLocaleString('en')} of ${messages.toLocaleString('en')}`)
    }
    await untilIndexed(tables)
    sheet.value(kbOfEach((await tables.bytes()) - bytes))
    const grown = (await tables.parts())
      .map(({ name, bytes }) => ({ name, kb: kbOfEach(bytes - (parts.get(name) ?? 0)) }))
      .toSorted((one, other) => other.kb - one.kb)
    for (const { name, kb } of grown) if (kb >= LEAST_KB) sheet.figure(`KB of ${name}`, kb)

    await tables.close()
    await scene.close()
    await bench.close(server)
    return [sheet.end()]
  },
}

/** Resolves when the search index has the messages; rejects if it gets no more of them for a minute. */
async function untilIndexed(tables: Tables): Promise<void> {
  let [last, since] = [Infinity, performance.now()]
  while (last >= TOGETHER || performance.now() - since < 1_000) {
    const missing = await tables.unindexed()
    if (missing < last) [last, since] = [missing, performance.now()]
    else if (missing >= TOGETHER && performance.now() - since > 60_000)
      throw new Error(`The search index lacks ${missing} messages and gets no more of them`)
    await sleep(500)
  }
}
