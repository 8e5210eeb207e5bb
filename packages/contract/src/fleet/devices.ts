import * as z from 'zod/mini'
import { AnyInstant, CompanyQuery, IdParam, Instant, Uid } from '@sdd/contract/core/fields.ts'
import { DeviceStatus } from '@sdd/contract/core/live.ts'
import { route } from '@sdd/contract/core/route.ts'

export const Device = z.object({
  id: z.int(),
  company_id: z.int(),
  uid: z.string(),
  status: DeviceStatus,
  /** A name for people, not unique. */
  name: z.nullable(z.string()),
  location: z.nullable(z.string()),
  /** May have several lines. */
  note: z.nullable(z.string()),
  /** Sorted, each once. */
  tags: z.array(z.string()),
  created_at: Instant,
  enabled: z.boolean(),
  /** The most SMS parts per day. */
  max_sms_dayly: z.int(),
  last_seen_at: z.nullable(Instant),
  /** SMS parts counted against today's limit. */
  sent_today: z.int(),
  /** Messages waiting for this device. */
  queued: z.int(),
  /** The mobile operator of its first SIM, as last reported. */
  carrier: z.nullable(z.string()),
  /** The strength of its mobile signal as last reported: negative in dBm, or in the device's own units. */
  signal: z.nullable(z.union([z.number(), z.string()])),
  /** The phone numbers and ICCIDs of its SIMs, as last reported. */
  sim_ids: z.array(z.string()),
  /** The device's program as reported: name and version. */
  agent: z.nullable(z.string()),
  /** The state of its radio as last reported; null if it does not report it. */
  radio: z.nullable(z.object({ ready: z.boolean(), says: z.string() })),
  /** A person works on it: it gets no messages until then. Null once that is over. */
  maintenance_until: z.nullable(Instant),
  /** It gets no tasks until then, because too many failed on it in a row. */
  quarantined_until: z.nullable(Instant),
  /** One sentence: how many failed, and why the last did. */
  quarantine_reason: z.nullable(z.string()),
  /** The same for programs; both are null without `quarantine_reason`. */
  quarantine_reason_code: z.nullable(z.enum(['failures_in_row'])),
  /** How many failed, and the code and words of the last failure. */
  quarantine_reason_params: z.nullable(z.object({ failures: z.int(), last: z.string() })),
  /** When the device exceeded 60 received SMS per minute and was throttled, if that was in the last hour. */
  inbox_slowed_at: z.optional(Instant),
})
export type Device = z.infer<typeof Device>

/** A reading in the device's format: a number, or a text with its unit. */
const reading = z._default(z.nullable(z.union([z.number(), z.string().check(z.maxLength(64))])), null)
const label = z._default(z.nullable(z.string().check(z.maxLength(200))), null)

export const NetworkSim = z.object({
  id: reading,
  slot: reading,
  carrier: label,
  operator_name: label,
  phone_number: label,
  iccid: label,
  roaming: z._default(z.nullable(z.boolean()), null),
  network_type_label: label,
})
export type NetworkSim = z.infer<typeof NetworkSim>

export const Wifi = z.object({
  ssid: label,
  intensity: reading,
  band: reading,
  frequency: reading,
  link_speed: reading,
  bssid: label,
  ip_address: label,
  captured_at: label,
})
export type Wifi = z.infer<typeof Wifi>

export const Mobile = z.object({
  intensity: reading,
  captured_at: label,
  sims: z._default(z.array(NetworkSim).check(z.maxLength(16)), []),
})
export type Mobile = z.infer<typeof Mobile>

/** The radio state. A connected device may be without a mobile network, and only the device knows. */
export const Radio = z.object({
  /** Whether it could send now. */
  ready: z.boolean(),
  /** One sentence: `registered at home on Movistar`, `SIM PIN required`. */
  says: z.string().check(z.maxLength(300)),
  /** When a message was last transmitted. */
  last_sent_at: z._default(z.nullable(AnyInstant), null),
})
export type Radio = z.infer<typeof Radio>

/** The last snapshot a device published of its networks; a missing reading is null. */
export const Networks = z.object({
  wifi: z._default(z.nullable(Wifi), null),
  mobile: z._default(z.nullable(Mobile), null),
  radio: z.optional(z.nullable(Radio)),
})
export type Networks = z.infer<typeof Networks>

const deviceParams = z.object({ uid: z.string() })
const Enabled = z.object({ uid: z.string(), enabled: z.boolean() })

export const NewLinkCode = z.strictObject({
  uses: z._default(z.int().check(z.gte(1), z.lte(10_000)), 1),
  expires_in_secs: z._default(z.int().check(z.gte(1), z.lte(86_400)), 600),
})
export type NewLinkCode = z.infer<typeof NewLinkCode>

export const MadeLinkCode = z.object({
  id: z.int(),
  /** Shown only once. */
  code: z.string(),
  uses: z.int(),
  expires_at: Instant,
})
export type MadeLinkCode = z.infer<typeof MadeLinkCode>

export const LinkCode = z.object({
  id: z.int(),
  company_id: z.int(),
  /** The code's first characters. */
  hint: z.string(),
  /** The name of its creator. The code works while that user is allowed to create codes. */
  by: z.string(),
  uses: z.int(),
  uses_left: z.int(),
  created_at: Instant,
  expires_at: Instant,
})
export type LinkCode = z.infer<typeof LinkCode>

export const LinkRequest = z.strictObject({
  code: z.string().check(z.minLength(1, 'is required'), z.maxLength(64)),
  uid: z.optional(Uid),
  location: z.optional(z.nullable(z.string().check(z.maxLength(200)))),
})
export type LinkRequest = z.infer<typeof LinkRequest>

export const LinkedDevice = z.object({
  uid: z.string(),
  secret: z.string(),
  mqtt_url: z.string(),
  /** How the device learns that a report is committed: by PUBACK, or by an `ack` command (external broker). */
  acks: z.enum(['puback', 'command']),
})
export type LinkedDevice = z.infer<typeof LinkedDevice>

export const NewSecret = z.object({ uid: z.string(), secret: z.string() })
export type NewSecret = z.infer<typeof NewSecret>

export const listDevices = route('GET /api/device-list', {
  summary: "Lists the company's devices with their live status.",
  reply: z.object({ devices: z.array(Device) }),
})

export const readNetworks = route('GET /api/device/:uid/networks', {
  summary: "The device's last snapshot of its networks.",
  params: deviceParams,
  reply: Networks,
  errors: ['unknown_device'],
})

export const enableDevice = route('POST /api/enable-device/:uid', {
  summary: 'Enables the device: it gets messages again.',
  may: 'devices:manage',
  params: deviceParams,
  reply: Enabled,
  errors: ['unknown_device'],
})

export const disableDevice = route('POST /api/disable-device/:uid', {
  summary: 'Disables the device: it gets no more messages but stays connected.',
  may: 'devices:manage',
  params: deviceParams,
  reply: Enabled,
  errors: ['unknown_device'],
})

export const createLinkCode = route('POST /api/link-codes', {
  summary: 'Creates a code with which devices join the company.',
  may: 'devices:manage',
  query: CompanyQuery,
  body: NewLinkCode,
  reply: MadeLinkCode,
  status: 201,
  errors: ['unknown_company', 'quota_reached', 'proof_required'],
})

export const listLinkCodes = route('GET /api/link-codes', {
  summary: 'Lists the active link codes, newest first, without the codes themselves.',
  may: 'devices:manage',
  reply: z.object({ link_codes: z.array(LinkCode) }),
})

export const revokeLinkCode = route('DELETE /api/link-codes/:id', {
  summary: 'Revokes a link code: no device can join with it.',
  may: 'devices:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_link_code'],
})

export const linkDevice = route('POST /api/devices/link', {
  summary: "Links a device to the company of the code. The device's secret is shown only once.",
  may: 'anyone',
  body: LinkRequest,
  reply: LinkedDevice,
  status: 201,
  errors: ['link_code_refused', 'uid_taken', 'quota_reached', 'too_many_attempts'],
})

export const renewSecret = route('POST /api/device/:uid/secret', {
  summary: "Replaces the device's secret and cuts its connection. The old secret stops working.",
  may: 'devices:manage',
  params: deviceParams,
  reply: NewSecret,
  errors: ['unknown_device', 'uid_taken'],
})

export const unlinkDevice = route('DELETE /api/device/:uid', {
  summary: 'Removes the device from the company and cuts its connection. Its history is kept.',
  may: 'devices:manage',
  params: deviceParams,
  errors: ['unknown_device'],
})
