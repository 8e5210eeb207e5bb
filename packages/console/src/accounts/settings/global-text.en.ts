export const globalSettings = {
  spoofTime: 'Seconds between messages',
  spoofTimeHint: 'The pause between two messages of the same device; 0 for no pause.',
  spoofTimeRange: 'Type a whole number from 0 to 86400.',
  sendEnabled: 'Sending on',
  yes: 'Yes',
  no: 'No',
  save: 'Save',
  saved: 'Settings saved.',
  loadFailed: 'The settings could not be loaded.',
  off: 'Sending is off',
  offMeans:
    'No device gets messages: tasks wait (and expire when they are due to) and “Send SMS” refuses them. To resume, tick “Sending on” and save.',
  held: (count: string, n: number) =>
    n === 1 ? 'The devices still have 1 message' : `The devices still have ${count} messages`,
  heldMeans: 'They received these earlier and will finish them. They get no more.',
  nothingHeld: 'Nothing is being sent: the devices have no messages',
  retention: 'Days that messages are kept',
  retentionHint: 'After that, finished messages, received SMS and callbacks are deleted little by little.',
  retentionRange: 'Type a whole number from 1 to 3650.',
  stopWords: 'Opt-out words',
  stopWordsHint:
    'Separated by commas. If a received SMS is only one of these words, its sender is opted out. Leave it empty to opt nobody out this way.',
  stopWordsRange: 'At most 50 words of up to 40 characters, each with a letter or a digit.',
  country: 'Country of numbers',
  countryHint:
    'Its two-letter code, such as ES. Numbers without a country code are read this way; stored ones stay.',
  inbox: 'Who reads conversations',
  inboxHint: 'It also counts for received SMS, and for the replies in the log.',
  inboxRoles: { user: 'Everybody in the company', admin: 'Administrators only' },
  newDevices: 'Enable devices when they are linked',
  newDevicesWait: 'Once saved, newly linked devices get no messages until an administrator enables them.',
  requireFactor: 'Require the second factor of administrators',
  requireFactorMeans: (own: boolean) =>
    `Once saved, administrators of this company who do not have it${own ? ', including you,' : ''} can do nothing else until they turn it on.`,
  willStop: 'Once saved, no device gets more messages: tasks wait, and “Send SMS” refuses them.',
  willResume: 'Once saved, waiting messages go out again.',
}
