export const sendSeveral = {
  numbers: 'Phones',
  numbersHint: 'One a line, or with commas between them.',
  one: 'One number only',
  counted: (numbers: number) => (numbers === 1 ? '1 number' : `${numbers} numbers`),
  repeated: (count: number) => `${count} repeated, sent once`,
  parts: (each: number, total: string) =>
    `${each === 1 ? '1 segment' : `${each} segments`} a message, ${total} in all`,
  withoutFields: 'without the fields',
  wrong: (numbers: string) => `Not numbers: ${numbers}`,
  tooMany: (most: number) => `At most ${most} numbers at once. For more, create a campaign.`,
  filled: (fields: string) => `Filled from each contact: ${fields}`,
  submit: (numbers: number) => (numbers === 1 ? 'Send to 1 number' : `Send to ${numbers} numbers`),
  progress: (done: string, total: string) => `Sending: ${done} of ${total}`,
  stop: 'Stop',
  missing: (field: string) => `The contact has no “${field}”, which the message needs. It was not sent.`,
  failed: 'It could not be sent.',
  outcome: (sent: number, refused: number) =>
    refused === 0 ? `Accepted: ${sent}.` : `Accepted: ${sent}. Refused: ${refused}.`,
  accepted: (sent: string, total: string) => `${sent} of ${total} accepted.`,
  kept: 'Those that were not sent are still in the form.',
  partly: 'Sent in part',
}
