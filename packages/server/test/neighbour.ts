import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { endWithFile, type ServerChild } from './child.ts'
import { linkTestDevice } from './device.ts'
import type { Noticed } from './neighbour-process.ts'

/** Far above any normal time on a free machine, and below the time when a client gives up. */
const UNNOTICED_MS = 10_000

/** More than uncollected garbage; less than any attack whose input is kept. */
export const BOUNDED_MIB = 96

/** A user and a device that work with the server while it is attacked. */
export async function startNeighbour(server: ServerChild) {
  const account = await linkTestDevice(server, server.token, 'neighbour')
  const child = fork(join(import.meta.dirname, 'neighbour-process.ts'), [
    server.url,
    server.token,
    JSON.stringify(account),
  ])
  endWithFile(child)
  await once(child, 'message')
  const look = async (): Promise<Noticed> => {
    child.send('look')
    const [noticed] = (await once(child, 'message')) as [Noticed]
    return noticed
  }

  /** Runs an attack, and asserts that other clients did not notice it and that the server's memory stayed bounded. */
  return async function under<T>(
    t: TestContext,
    attack: () => Promise<T>,
    bounded_mib = BOUNDED_MIB,
  ): Promise<T> {
    await look()
    const before_mib = server.memory_mib()
    let most_mib = before_mib
    const watching = setInterval(() => (most_mib = Math.max(most_mib, server.memory_mib())), 20)
    try {
      const result = await attack()
      const noticed = await look()
      t.diagnostic(`${JSON.stringify(noticed)}, +${Math.round(most_mib - before_mib)} MiB`)
      assert.deepEqual(noticed.faults, [])
      assert.ok(noticed.requests > 0 && noticed.reports > 0, 'no client used the server meanwhile')
      assert.ok(Math.max(noticed.request_ms, noticed.report_ms) < UNNOTICED_MS, JSON.stringify(noticed))
      assert.ok(most_mib - before_mib < bounded_mib, `from ${before_mib} to ${most_mib} MiB`)
      return result
    } finally {
      clearInterval(watching)
    }
  }
}
