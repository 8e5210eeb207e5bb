import type { KeyPermission } from '@sdd/contract/accounts/api-keys.ts'

const short = { 'tasks:write': 'submit', 'tasks:read': 'read', 'inbox:read': 'inbox' }

export const apiKeys = {
  title: 'API keys',
  about: 'With a key, another system submits tasks and follows their state.',
  list: 'List of API keys',
  columns: {
    name: 'Name',
    may: 'Permissions',
    hint: 'Key',
    created_at: 'Created',
    by: 'By',
    last_used_at: 'Last use',
    expires_at: 'Expires',
    actions: 'Actions',
  },
  may: {
    'tasks:write': 'Submit and discard tasks',
    'tasks:read': 'Read tasks',
    'inbox:read': 'Read received SMS',
  },
  shortMay: (may: readonly KeyPermission[]) => may.map((one) => short[one]).join(', '),
  classes: 'Classes of messages',
  class: { code: 'Codes', transactional: 'Transactional', marketing: 'Marketing' },
  noClass: 'Tick at least one class.',
  neverUsed: 'never',
  neverExpires: 'never',
  soon: 'soon',
  nobody: 'deleted user',
  loadFailed: 'The API keys could not be loaded.',
  empty: 'There are no API keys yet.',
  emptyHint: 'Create one for each system that submits tasks.',
  copied: (hint: string) => `${hint} copied`,

  add: 'New key',
  name: 'Name',
  nameHint: 'The system that uses it, such as “Booking CRM”.',
  nameMissing: 'Type a name.',
  permissions: 'Permissions',
  noPermission: 'Tick at least one permission.',
  expiry: 'Expiry',
  expiries: { never: 'Never', 30: 'In 30 days', 90: 'In 90 days', 365: 'In a year', at: 'Another date…' },
  expiresAt: 'Expires at',
  expiryMissing: 'Choose a date in the future.',
  create: 'Create key',
  createFailed: 'The key could not be created.',

  made: (name: string) => `Key “${name}”`,
  key: 'Key',
  copyKey: 'Copy key',
  secret: 'Callback secret',
  secretHint: 'Signs the requests to the callback_url of tasks of this key (Standard Webhooks).',
  copySecret: 'Copy secret',
  example: 'Try it',
  copyExample: 'Copy command',

  rotateNamed: (name: string) => `Rotate ${name}`,
  rotateTitle: (name: string) => `Rotate “${name}”?`,
  rotateMeans:
    'A new key and a new callback secret are created, and shown only once. The name, the permissions and the expiry stay the same.',
  overlap: (hint: string) => `Does ${hint}… stay valid after the rotation?`,
  rotateFailed: 'The key could not be rotated.',
  previous: 'previous:',
  previousLasts: (until: string) =>
    `The previous key and its secret are valid until ${until}. If you rotate again, they stop working.`,
  previousGoesOn: (until: string) =>
    `The previous key and its secret are valid until ${until}. Until then, callbacks carry both signatures.`,
  previousDead: 'The previous key and its secret no longer work.',
  endTitle: (name: string) => `End the previous key of “${name}”?`,
  endMeans:
    'A system that still uses it loses its access now. This cannot be undone. The new key stays valid.',
  endFailed: 'The previous key could not be ended.',
  ended: (name: string) => `“${name}”: previous key ended`,

  revoke: 'Revoke',
  revokeNamed: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeMeans: (hint: string) =>
    `From now on, the system that uses ${hint}… cannot submit, read or discard tasks. This cannot be undone: it will need another key.`,
  revokeBoth: 'The previous key, from before the rotation, stops working too.',
  revokeKeeps: 'The tasks that it already submitted go on, with their callbacks.',
  lastUsed: 'Last use:',
  revokeFailed: 'The key could not be revoked.',
  revoked: (name: string) => `“${name}” revoked`,
  gone: 'This key no longer exists.',
}
