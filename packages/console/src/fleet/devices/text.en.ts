import type { Device } from '@sdd/contract/fleet/devices.ts'
import { formats } from '#console/core/formats.en.ts'
import { paramsIn, sentenceOf, type Params, type Sentences } from '#console/core/said.ts'

export const devices = {
  title: 'Devices',
  search: 'Find by UID',
  columns: {
    id: 'ID',
    uid: 'UID',
    status: 'Status',
    location: 'Location',
    created_at: 'Added',
    enabled: 'Enabled',
    last_seen_at: 'Last contact',
    carrier: 'Carrier',
    signal: 'Signal',
    sent_today: 'Today / limit',
    actions: 'Actions',
  },
  empty: 'No devices found.',
  loadFailed: 'The list of devices could not be loaded.',
  enableFailed: (uid: string) => `${uid} could not be enabled. It is still disabled.`,
  disableFailed: (uid: string) => `${uid} could not be disabled. It is still enabled.`,
  details: 'Details',
  send: 'Send SMS',
  detailsOf: (uid: string) => `Details of ${uid}`,
  sendBy: (uid: string) => `Send SMS with ${uid}`,
  nowEnabled: (uid: string) => `${uid} enabled`,
  nowDisabled: (uid: string) => `${uid} disabled`,
  link: 'Link a device',
  undo: 'Undo',
  viewOptions: 'Columns and order',
  disabledShort: 'disabled',
  limitReached: (sent: string, limit: string) => `limit ${sent}/${limit}`,
  hindrances: {
    disabled: 'It is disabled: it sends nothing until it is enabled.',
    maintenance: 'It is in maintenance: it gets no messages until that ends.',
    exhausted: 'It has reached the limit of today.',
    radio: 'Its radio is not ready.',
    quarantined: 'It is in quarantine after failures in a row.',
  },
  carrierFilter: (carrier: string, connected: string, size: string) =>
    `${carrier} ${connected}/${size}: filter`,
  legendFilter: (state: string) => `${state}: filter`,
  enabled: (uid: string) => `${uid} enabled`,
  networks: (uid: string) => `Networks of ${uid}`,
  copied: (uid: string) => `${uid} copied`,
  fleet: 'Fleet',
  fleetCount: (count: string) => (count === '1' ? '1 device' : `${count} devices`),
  fleetOne: 'each bar is one; the stronger its colour, the more it sends',
  fleetMany: (count: number) => `each bar stands for ${count}`,
  noCarrier: 'No carrier',
  noAgent: 'Agent not known',
  agents: 'Agent versions',
  otherCarriers: 'Others',
  filterLabel: 'Filter by status',
  ofThem: 'of them:',
  filters: {
    all: 'All',
    connected: 'Connected',
    disconnected: 'Disconnected',
    disabled: 'Disabled',
    maintenance: 'In maintenance',
    exhausted: 'At the limit',
    quarantined: 'In quarantine',
  },
  quarantined: 'In quarantine',
  inboxSlowed: 'It receives too many SMS',
  inboxSlowedMeans: (time: string) =>
    `It may pass on 60 received SMS a minute, and passed on more on ${time}. The others wait on the device and are not lost.`,
  quarantinedShort: 'quarantine',
  radioDown: 'no radio',
  radioSays: (says: string) => `“${says}”`,
  quarantinedUntil: (time: string) => `In quarantine until ${time}`,
  quarantineReason: ({ quarantine_reason_code: code, quarantine_reason_params }: Partial<Device>) =>
    code
      ? sentenceOf(
          quarantineReasons,
          { code, params: paramsIn(quarantine_reason_params) },
          { ...formats, otherwise: 'Several messages in a row failed.' },
        )
      : undefined,
  quarantineMeans: (time: string) =>
    `It gets no tasks until ${time}; then a single message tests it. To end the quarantine, enable the device again.`,
  maintenanceShort: 'maintenance',
  maintenanceUntil: (time: string) => `In maintenance until ${time}`,
  maintenanceMeans:
    'It gets no messages and opens no alerts: messages that only it can send wait. It ends by itself.',
  endMaintenance: 'End maintenance',
  maintenanceStays: 'The maintenance could not be ended.',
  tagFilter: 'Filter by tag',
  allTags: 'All tags',
  tags: 'Tags',
  legend: {
    connected: 'Connected',
    disconnected: 'Disconnected',
    disabled: 'Disabled',
    maintenance: 'In maintenance',
  },
}

const quarantineReasons = {
  failures_in_row: ({ failures, last }) =>
    `${failures ?? 'Several'} messages in a row failed. The last one: ${failureOf(last)}.`,
} satisfies Sentences<NonNullable<Device['quarantine_reason_code']>>

const failures: Record<string, string> = {
  failed: 'the device gave no reason',
  modem_error: 'the modem failed',
  no_network: 'there was no mobile network',
  timeout: 'the modem did not answer in time',
  unknown_outcome: 'it is not known whether it went out',
}

/** `code`, or `code: the device's own words`. */
function failureOf(last: Params[string]): string {
  const [code = '', ...words] = String(last ?? 'failed').split(': ')
  const why = Object.hasOwn(failures, code) ? failures[code]! : `code ${code}`
  return words.length === 0 ? why : `${why} (“${words.join(': ')}”)`
}

export const networks = {
  wifi: 'Wi-Fi',
  mobile: 'Mobile network',
  sim: 'SIM',
  noWifi: 'No data about the Wi-Fi network',
  noMobile: 'No data about the mobile network',
  loadFailed: 'The networks could not be loaded.',
  activity: 'Activity',
  toPage: 'Its page: SIMs, orders and charts',
  ssid: 'SSID',
  intensity: 'Signal',
  band: 'Band',
  frequency: 'Frequency',
  link_speed: 'Speed',
  bssid: 'BSSID',
  ip_address: 'IP',
  captured_at: 'Measured',
  id: 'ID',
  slot: 'Slot',
  carrier: 'Carrier',
  operator_name: 'Operator network',
  phone_number: 'Number',
  iccid: 'ICCID',
  roaming: 'Roaming',
  network_type_label: 'Network type',
  sent_today: 'Sent today',
  queued: 'Queued',
  agent: 'Agent',
  radio: 'Radio',
  last_seen_at: 'Last contact',
}
