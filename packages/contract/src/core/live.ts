import * as z from 'zod/mini'
import { topic } from './topic.ts'

/** What a browser may be told has changed. */
export const Changed = z.enum([
  'tasks',
  'logs',
  'devices',
  'users',
  'settings',
  'api_keys',
  'callbacks',
  'opt_outs',
  'audit',
])
export type Changed = z.infer<typeof Changed>

export const DeviceStatus = z.enum(['connected', 'disconnected'])
export type DeviceStatus = z.infer<typeof DeviceStatus>

export const StatusChange = z.object({ device_uid: z.string(), status: DeviceStatus })
export type StatusChange = z.infer<typeof StatusChange>

export const FrontChange = z.object({ changed: z.array(z.string()) })
export type FrontChange = z.infer<typeof FrontChange>

/** At most 1 s after the fact. */
export const devicesStatus = topic('devices/status', {
  summary: 'A device connected or disconnected.',
  from: 'server',
  payload: StatusChange,
})

/** Merged: at most two a second to one browser, and always one after the last change. */
export const frontChange = topic('/front/change', {
  summary: 'Lists that changed and are worth loading again.',
  from: 'server',
  payload: FrontChange,
})
