import * as z from 'zod/mini'
import { AnyInstant } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'
import { Device } from './devices.ts'
import { MaxSmsDayly } from './limits.ts'
import { Tags } from './tags.ts'

/** Null or an empty text clears it. */
function clearable(most: number, pattern: RegExp) {
  const text = z
    .string()
    .check(
      z.regex(pattern, 'holds a character that cannot be seen: type it again'),
      z.trim(),
      z.maxLength(most),
    )
  return z.optional(z.nullable(text))
}

const changed = {
  name: clearable(100, /^[^\p{C}\p{Zl}\p{Zp}]*$/u),
  location: clearable(200, /^[^\p{Cc}\p{Cs}]*$/u),
  note: clearable(2_000, /^([^\p{Cc}\p{Cs}]|[\t\n\r])*$/u),
  /** Replaces all tags. */
  tags: z.optional(Tags),
  max_sms_dayly: z.optional(MaxSmsDayly),
  enabled: z.optional(z.boolean()),
  /** A later time, at most a year from now; null ends it. */
  maintenance_until: z.optional(z.nullable(AnyInstant)),
}

/** A change must name a field. */
const namesField = z.refine(
  (change: unknown) => Object.values(change as object).some((value) => value !== undefined),
  {
    error: 'is required: name a field to change',
    params: { field_code: 'required' },
  },
)

/** Absent fields stay as they are. At least one must be given. */
export const DeviceChange = z
  .strictObject(changed)
  .check(namesField)
  .register(z.globalRegistry, { minProperties: 1 })
export type DeviceChange = z.infer<typeof DeviceChange>

/** The same for several devices, whose other tags may stay: `tags` does not go with the other two. */
export const CommonChange = z
  .strictObject({ ...changed, add_tags: z.optional(Tags), remove_tags: z.optional(Tags) })
  .check(namesField)
  .register(z.globalRegistry, { minProperties: 1 })
export type CommonChange = z.infer<typeof CommonChange>

/** The most devices of one request. */
export const MAX_DEVICES = 1_000

export const DevicesChange = z.strictObject({
  uids: z.array(z.string()).check(z.minLength(1), z.maxLength(MAX_DEVICES)),
  change: CommonChange,
})
export type DevicesChange = z.infer<typeof DevicesChange>

/** Each device is changed as a whole, or refused as in an error. */
export const ChangedDevices = z.object({
  /** How many are now as requested, those included that were so before. */
  changed: z.int(),
  refused: z.array(
    z.object({
      uid: z.string(),
      code: z.string(),
      detail: z.string(),
      params: z.record(z.string(), z.unknown()),
    }),
  ),
})
export type ChangedDevices = z.infer<typeof ChangedDevices>

const params = z.object({ uid: z.string() })

export const changeDevice = route('POST /api/device/:uid', {
  summary:
    "Changes a device's name, location, note, tags, daily limit, maintenance, or whether it is enabled.",
  may: 'devices:manage',
  params,
  body: DeviceChange,
  reply: Device,
  errors: ['unknown_device'],
})

export const changeDevices = route('POST /api/devices/changes', {
  summary: 'Makes the same change to up to 1,000 devices. Each is changed or refused separately.',
  may: 'devices:manage',
  body: DevicesChange,
  reply: ChangedDevices,
})
