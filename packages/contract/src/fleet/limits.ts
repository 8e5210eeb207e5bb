import * as z from 'zod/mini'
import { DeviceStatus } from '@sdd/contract/core/live.ts'
import { route } from '@sdd/contract/core/route.ts'

export const DeviceSettings = z.object({
  company_id: z.int(),
  uid: z.string(),
  status: DeviceStatus,
  max_sms_dayly: z.int(),
  /** SMS parts counted against today's limit. */
  sent_today: z.int(),
})
export type DeviceSettings = z.infer<typeof DeviceSettings>

/** In SMS parts. With 0 the device sends nothing. */
export const MaxSmsDayly = z.int().check(z.gte(0), z.lte(100_000))

export const DeviceLimit = z.object({
  uid: z.string().check(z.minLength(1, 'is required'), z.maxLength(64)),
  max_sms_dayly: MaxSmsDayly,
})
export type DeviceLimit = z.infer<typeof DeviceLimit>

export const listDeviceSettings = route('GET /api/device-list-settings', {
  summary: 'The daily limit of each device.',
  reply: z.object({ devices: z.array(DeviceSettings) }),
})

export const saveDeviceLimit = route('POST /api/device-list-settings', {
  summary: "Sets a device's daily limit in SMS parts. With 0 it sends nothing.",
  may: 'settings:write',
  body: DeviceLimit,
  reply: z.object({ uid: z.string(), max_sms_dayly: z.int() }),
  errors: ['unknown_device'],
})
