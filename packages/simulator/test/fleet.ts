import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Behaviour } from '#simulator/behaviour.ts'
import { type Fleet, type FleetNeeds, startFleet } from '#simulator/fleet.ts'
import { type Endpoint, openEndpoint } from '#test/endpoint.ts'

/** Everything succeeds immediately. */
export const PROMPT: Behaviour = {
  send_ms: [0, 5],
  delivery_ms: [0, 5],
  reply_ms: [0, 5],
  failing: 0,
  blocked: 0,
  unanswered: 0,
  undelivered: 0,
  unreported: 0,
  replying: 0,
  stopping: 0,
  wobble_secs: 0,
  reconnect_ms: [10, 50],
}

export type Scene = {
  endpoint: Endpoint
  ledger_path: string
  /** A connected fleet of `d1`, … on the scene's ledger; it ends with the test. */
  start: (needs?: Partial<FleetNeeds> & { count?: number }) => Promise<Fleet>
}

/** An endpoint and an empty ledger; both are removed after the test. */
export async function openScene(t: TestContext): Promise<Scene> {
  const folder = temporaryFolder(t)
  const endpoint = await openEndpoint()
  const ledger_path = join(folder, 'ledger.jsonl')
  t.after(() => endpoint.close())
  return {
    endpoint,
    ledger_path,
    async start({ count = 1, behaviour, faults, ...needs } = {}) {
      const devices = Array.from({ length: count }, (_, i) => ({
        uid: `d${i + 1}`,
        secret: `secret ${i + 1}`,
      }))
      const { mqtt_url } = endpoint
      const fleet = await startFleet({
        devices,
        mqtt_url,
        ledger_path,
        behaviour: { ...PROMPT, ...behaviour },
        faults: { away_ms: [10, 50], ...faults },
        ...needs,
      })
      t.after(() => fleet.crash())
      await fleet.connected()
      return fleet
    },
  }
}

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A send command, with defaults for the fields that a test does not set. */
export function sendCommand(guid: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
  return { type: 'send', guid, attempt: 1, to: '+34600111222', text: 'Hola', ...fields }
}

/** For conditions that the endpoint does not see: polls for twenty seconds at most. */
export async function eventually(what: string, look: () => boolean): Promise<void> {
  const late = Date.now() + 20_000
  while (!look()) {
    if (Date.now() > late) throw new Error(`never seen: ${what}`)
    await wait(5)
  }
}
