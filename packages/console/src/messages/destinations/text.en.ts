export const destinations = {
  intro:
    'The numbers that the company may write to, from the console and by tasks. Messages that already wait stay as they are; each refusal gives its reason.',
  allow: 'Allowed prefixes',
  allowHint: 'One a line, such as +34 or 6. Empty: all numbers.',
  deny: 'Denied prefixes',
  denyHint: 'One a line. They override the allowed ones.',
  prefixesWrong: (prefix: string) =>
    `“${prefix}” is not a prefix. Type 1 to 15 digits, with a + in front if needed.`,
  tooMany: (most: number) => `At most ${most} prefixes are possible.`,
  cap: 'Messages a day to the same number',
  capHint: 'From the console and by tasks together, until midnight. Empty: no limit.',
  capRange: 'Type a whole number from 1 to 100000, or nothing.',
  save: 'Save destinations',
  saved: 'Destinations saved.',
  saveFailed: 'The destinations could not be saved.',
  loadFailed: 'The destinations could not be loaded.',
  everything: 'No restrictions: messages may go to any number.',
}
