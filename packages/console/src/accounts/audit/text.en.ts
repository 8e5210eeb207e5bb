export const audit = {
  title: 'Audit log',
  list: 'Who changed what',
  search: 'Who or what',
  subject: 'About',
  all: 'Everything',
  from: 'From',
  to: 'To',
  subjects: {
    user: 'Users',
    device: 'Devices',
    settings: 'Settings',
    api_key: 'API keys',
    webhook: 'Webhooks',
    opt_out: 'Opt-outs',
    link_code: 'Link codes',
    task: 'Tasks',
    callback: 'Callbacks',
    log: 'Log downloads',
    destinations: 'Destinations',
    call: 'Refused calls',
  },
  columns: {
    at: 'When',
    by: 'Who',
    action: 'What',
    name: 'Name',
    address: 'Address',
    changes: 'Changes',
    open: 'View',
  },
  stranger: 'Someone unidentified',
  unnamed: (action: string) => (action === 'call.refused' ? 'several calls' : 'a name that no user has'),
  settingsName: (name: string) => (SETTINGS.includes(name) ? 'of the company' : name),
  linkCodeName: ({ hint, uses, until }: { name: string; hint: string; uses: number; until: string }) =>
    `${hint} for ${uses === 1 ? '1 device' : `${uses} devices`} until ${until}`,
  exportName({ name, filters }: { name: string; filters: readonly [filter: string, value: string][] }) {
    if (filters.length === 0) return exportNames[name] ?? name
    return filters.map(([filter, value]) => filterText(filter, value)).join(', ')
  },
  address: 'Address',
  /** The name of the thing follows. */
  actions: {
    'user.created': 'Created the user',
    'user.edited': 'Edited the user',
    'user.second_factor_enabled': 'Turned on their own second factor',
    'user.second_factor_disabled': 'Turned off their own second factor',
    'user.second_factor_removed': 'Removed the second factor of',
    'user.recovery_codes_renewed': 'Renewed their own recovery codes',
    'user.session_ended': 'Ended a session of',
    'user.sessions_ended': 'Ended all sessions of',
    'device.enabled': 'Enabled the device',
    'device.disabled': 'Disabled the device',
    'device.changed': 'Changed the device',
    'device.limit_saved': 'Changed the daily limit of',
    'device.secret_renewed': 'Renewed the secret of',
    'device.unlinked': 'Unlinked the device',
    'device.linked': 'Linked the device with a code',
    'link_code.created': 'Created the link code',
    'link_code.revoked': 'Revoked the link code',
    'login.succeeded': 'Logged in',
    'login.failed': 'Failed attempt to log in',
    'login.locked': 'Blocked attempt to log in',
    'task.discarded': 'Discarded the task',
    'callback.repeated': 'Repeated the callback of the task',
    'log.exported': 'Downloaded the log',
    'destinations.changed': 'Changed the destinations',
    'call.refused': 'Was refused the call',
    'settings.saved': 'Saved the settings',
    'settings.quotas_changed': 'Changed the quotas',
    'api_key.created': 'Created the key',
    'api_key.rotated': 'Rotated the key',
    'api_key.previous_ended': 'Ended the previous key of',
    'api_key.revoked': 'Revoked the key',
    'webhook.created': 'Added the webhook',
    'webhook.rotated': 'Rotated the secret of the webhook',
    'webhook.previous_ended': 'Ended the previous secret of the webhook',
    'webhook.removed': 'Removed the webhook',
    'opt_out.added': 'Added the opt-out',
    'opt_out.lifted': 'Removed the opt-out',
  } as Record<string, string>,
  otherAction: (code: string) => `Another action (code ${code})`,
  field: (name: string) => fields[name] ?? name,
  value: (field: string, value: string) => values[field]?.[value] ?? value,
  repeated: (action: string, times: number) => `${action} (${times === 1 ? 'once' : `${times} times`})`,
  nothing: '–',
  none: 'none',
  loadFailed: 'The audit log could not be loaded.',
  empty: 'Nothing has been changed yet.',
  emptyHint: 'Changes to users, devices, settings, keys, webhooks and opt-outs appear here.',
  emptyFiltered: 'No change matches the filters.',
  copied: (name: string) => `${name} copied`,
  see: (what: string) => `View ${what}`,
  details: 'Details of the change',
  noChanges: 'No further details.',
  unknown: 'This change is not in the list.',
}

/** The names of settings, which belong to a company. */
const SETTINGS = ['Global', 'Quotas', 'Destinations']

const exportNames: Record<string, string> = { everything: 'in full', several: 'several times' }

const filters: Record<string, string> = { device_uid: 'device' }

const states: Record<string, string> = { handed: 'on the device' }

function filterText(filter: string, value: string): string {
  if (filter === 'errors') return value === 'true' ? 'with an error' : 'without an error'
  return `${filters[filter] ?? filter}: ${filter === 'state' ? (states[value] ?? value) : value}`
}

const fields: Record<string, string> = {
  name: 'Name',
  email: 'Email',
  role: 'Role',
  enabled: 'Enabled',
  companyId: 'Company',
  password: 'Password',
  location: 'Location',
  note: 'Note',
  max_sms_dayly: 'Daily limit',
  secret: 'Secret',
  link_code: 'Link code',
  spoof_time_secs: 'Seconds between messages',
  send_enabled: 'Sending on',
  retention_days: 'Days that messages are kept',
  stop_words: 'Opt-out words',
  new_devices_enabled: 'Enable devices when they are linked',
  require_second_factor: 'Require the second factor',
  devices: 'Devices',
  waiting_tasks: 'Waiting tasks',
  api_keys: 'API keys',
  users: 'Users',
  sessions: 'Sessions per user',
  live_connections: 'Live connections',
  link_codes: 'Link codes',
  webhooks: 'Webhooks',
  may: 'Permissions',
  expires_at: 'Expires',
  key: 'Key',
  previous_until: 'Previous one valid until',
  types: 'Reports when a task is',
  text: 'Opt-out SMS',
  created_at: 'Opted out',
  allow: 'Allowed prefixes',
  deny: 'Forbidden prefixes',
  max_per_recipient_dayly: 'Messages a day to the same number',
  code: 'Reason',
}

/** By field. */
const values: Record<string, Record<string, string>> = {
  may: { 'tasks:write': 'submit and discard tasks', 'tasks:read': 'read tasks' },
  types: {
    'task.sent': 'sent',
    'task.delivered': 'delivered',
    'task.replied': 'replied',
    'task.failed': 'failed',
    'task.uncertain': 'uncertain',
    'task.expired': 'expired',
  },
  code: { forbidden: 'no permission', proof_required: 'identity not confirmed' },
}
