import { type Client, openClient } from '@sdd/contract/core/client.ts'
import { type Device, listDevices } from '@sdd/contract/fleet/devices.ts'
import { listLogs, type LogEntry, type MessageRecord, readMessage } from '@sdd/contract/insight/log.ts'
import type { DeviceBooks } from './device-books.ts'

type ServerBooks = {
  log: LogEntry[]
  /** The records of messages with several attempts, by guid. */
  records: Map<string, MessageRecord>
  devices: Device[]
}

const AT_ONCE = 8

/**
 * The server's messages and devices, read through the public API. Records are read only for messages with several
 * attempts, because the log shows a single attempt completely.
 */
export async function readServerBooks(
  { url, token }: { url: string; token: string },
  { attempts }: Pick<DeviceBooks, 'attempts'>,
): Promise<ServerBooks> {
  const client = openClient({ url, token })
  const log = await readLog(client)
  const records = new Map<string, MessageRecord>()
  const several = log.filter(({ guid }) => (attempts.get(guid)?.length ?? 0) > 1)
  const left = several.values()
  async function readNext(): Promise<void> {
    for (const { guid, company_id } of left) {
      const query = { company: String(company_id) }
      records.set(guid, await client.call(readMessage, { params: { guid }, query }))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readNext))
  const { devices } = await client.call(listDevices)
  return { log, records, devices }
}

async function readLog({ call }: Client): Promise<LogEntry[]> {
  const log: LogEntry[] = []
  for (let cursor: string | undefined; ;) {
    const page = await call(listLogs, { query: { limit: '1000', cursor } })
    log.push(...page.logs)
    if (page.next_cursor === null) return log
    cursor = page.next_cursor
  }
}

/** The number of messages that have not ended. */
export async function countOpen({ url, token }: { url: string; token: string }): Promise<number> {
  const { call } = openClient({ url, token })
  const pages = await Promise.all(
    (['queued', 'handed'] as const).map((state) => call(listLogs, { query: { state, limit: '1000' } })),
  )
  return pages.reduce((sum, { logs }) => sum + logs.length, 0)
}
