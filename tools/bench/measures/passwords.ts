import { setTimeout as sleep } from 'node:timers/promises'
import { type Measure, openResult } from '../bench.ts'
import { openHttpLoad } from '../http.ts'
import { ADMIN, gainAccess, startBenchServer } from '../server.ts'
import { quantile } from '../statistics.ts'
import { nextTask } from '../work.ts'

/** Wrong passwords of one user in flight at any time. */
const OF_ONE_USER = 160
/** Networks of a provider, and wrong logins in flight of each. */
const NETWORKS = 40
const OF_ONE_NETWORK = 5
const EVERY_MS = 20
const ROUND_MS = 10_000

/** Tasks of an API key and a valid login, while unknown clients and a user keep the server busy with passwords. */
export const passwords: Measure = {
  ids: ['passwords'],
  async run(bench) {
    const home = await bench.home('passwords')
    const server = await startBenchServer({ ...home, settings: { ...home.settings, PROXIES: '127.0.0.1' } })
    const { token, key } = await gainAccess(server)
    const json = { 'content-type': 'application/json' }
    const sheet = openResult('passwords')
    const { port } = server
    const tasks = openHttpLoad({
      port,
      connections: 16,
      headers: { ...json, authorization: `Bearer ${key}` },
    })

    /** Times of tasks submitted one by one until `until`. */
    async function taskTimes(): Promise<number[]> {
      const times: number[] = []
      const under_way = new Set<Promise<void>>()
      for (let passed = 0; passed < ROUND_MS; passed += EVERY_MS) {
        const began = performance.now()
        const one = tasks
          .request('POST /api/external-tasks', JSON.stringify(nextTask()))
          .then(({ status }) => {
            if (status !== 202) throw new Error(`A task was answered ${status}`)
            times.push(performance.now() - began)
            under_way.delete(one)
          })
        under_way.add(one)
        await sleep(EVERY_MS)
      }
      await Promise.all(under_way)
      return times
    }

    /** Repeats requests on all connections; ends after those in flight. */
    function flood(connections: number, headers: Record<string, string>, line: string, body: () => string) {
      const load = openHttpLoad({ port, connections, headers })
      let stopped = false
      const loops = Array.from({ length: connections }, async () => {
        while (!stopped) await load.request(line, body())
      })
      return async () => {
        stopped = true
        await Promise.all(loops)
        load.close()
      }
    }

    const ofOneUser = () => {
      const body = JSON.stringify({ password: 'wrong-wrong-1', new_password: 'Some-new-pass-9' })
      const headers = { ...json, authorization: `Bearer ${token}` }
      return [flood(OF_ONE_USER, headers, 'POST /api/password', () => body)]
    }
    let guess = 0
    const ofOneProvider = () =>
      Array.from({ length: NETWORKS }, (_, n) => {
        const headers = {
          'content-type': 'application/x-www-form-urlencoded',
          'x-forwarded-for': `2001:db8:${n.toString(16)}:1::1`,
        }
        return flood(
          OF_ONE_NETWORK,
          headers,
          'POST /api/login',
          () => `username=nobody${++guess}&password=wrong`,
        )
      })

    async function loginTime(): Promise<number> {
      const began = performance.now()
      const headers = { 'x-forwarded-for': '198.51.100.7' }
      const body = new URLSearchParams(ADMIN)
      const { status } = await fetch(`${server.url}/api/login`, { method: 'POST', headers, body })
      if (status !== 200) throw new Error(`A right login was answered ${status}`)
      return performance.now() - began
    }

    await taskTimes()
    for (let round = 1; round <= bench.rounds; round++) {
      const quiet = await taskTimes()
      sheet.figure('without, p99 ms', quantile(quiet, 0.99))
      const stopUser = ofOneUser()
      const beside_user = await sheet.watched(taskTimes)
      await Promise.all(stopUser.map((stop) => stop()))
      sheet.figure(`${OF_ONE_USER} of one user, p99 ms`, quantile(beside_user, 0.99))
      const stopProvider = ofOneProvider()
      const logins = (async () => {
        const times: number[] = []
        for (let n = 0; n < 5; n++) {
          await sleep(ROUND_MS / 6)
          times.push(await loginTime())
        }
        return times
      })()
      const beside_provider = await sheet.watched(taskTimes)
      sheet.figure('longest right login meanwhile, ms', Math.max(...(await logins)))
      await Promise.all(stopProvider.map((stop) => stop()))
      sheet.figure(
        `${NETWORKS * OF_ONE_NETWORK} logins of strangers, p99 ms`,
        quantile(beside_provider, 0.99),
      )
      sheet.value(Math.max(quantile(beside_user, 0.99), quantile(beside_provider, 0.99)))
      bench.say(`passwords: round ${round} of ${bench.rounds}`)
    }
    tasks.close()
    await bench.close(server)
    return [sheet.end()]
  },
}
