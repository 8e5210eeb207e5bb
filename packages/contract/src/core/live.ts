import * as z from 'zod/mini'
import { topic } from './topic.ts'

/** The lists for which browsers get change events. */
export const Changed = z.enum([
  'tasks',
  'logs',
  'conversations',
  'devices',
  'sims',
  'users',
  'settings',
  'api_keys',
  'callbacks',
  'opt_outs',
  'audit',
  'contacts',
  'templates',
  'campaigns',
  'alerts',
  'routes',
])
export type Changed = z.infer<typeof Changed>

export const DeviceStatus = z.enum(['connected', 'disconnected'])
export type DeviceStatus = z.infer<typeof DeviceStatus>

export const StatusChange = z.object({ device_uid: z.string(), status: DeviceStatus })
export type StatusChange = z.infer<typeof StatusChange>

export const FrontChange = z.object({ changed: z.array(z.string()) })
export type FrontChange = z.infer<typeof FrontChange>

/** Published at most 1 s after the change. */
export const devicesStatus = topic('devices/status', {
  summary: 'A device connected or disconnected.',
  from: 'server',
  payload: StatusChange,
})

/** Merged: at most two per second for each browser, and always one after the last change. */
export const frontChange = topic('/front/change', {
  summary: 'Lists that changed and should be reloaded.',
  from: 'server',
  payload: FrontChange,
})
