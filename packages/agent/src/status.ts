import { rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import type { DeviceState } from './device/device.ts'

/** The status of a running agent. */
export type Status = { readonly pid: number; readonly version: string; readonly devices: DeviceState[] }

const ANSWER_WITHIN_MS = 2_000

/**
 * Answers `askStatus` on a socket in the agent's folder, which only its owner can read. The caller must hold the
 * folder's lock, because a socket from an earlier agent is removed. Returns its stop.
 */
export async function serveStatus(path: string, status: () => Status): Promise<() => Promise<void>> {
  rmSync(path, { force: true })
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(JSON.stringify(status()))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return () => new Promise((resolve) => server.close(() => resolve()))
}

/** `undefined` if no agent answers. */
export async function askStatus(path: string): Promise<Status | undefined> {
  const socket = createConnection(path)
  socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy())
  try {
    return JSON.parse(await text(socket)) as Status
  } catch {
    return undefined
  }
}
