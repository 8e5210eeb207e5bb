export const deviceBulk = {
  enable: 'Enable',
  disable: 'Disable',
  limit: 'Daily limit…',
  limitTitle: (count: number) => (count === 1 ? 'Limit of 1 device' : `Limit of ${count} devices`),
  limitLabel: 'SMS a day',
  limitHint: 'From 0 to 100000. With 0 they send nothing.',
  limitRange: 'Type a whole number from 0 to 100000.',
  apply: 'Apply',
  enabled: (count: number) => (count === 1 ? '1 device enabled' : `${count} devices enabled`),
  disabled: (count: number) => (count === 1 ? '1 device disabled' : `${count} devices disabled`),
  limited: (count: number, limit: string) =>
    count === 1 ? `1 device with ${limit} SMS a day` : `${count} devices with ${limit} SMS a day`,
  undone: (count: number) => (count === 1 ? '1 device is as before' : `${count} devices are as before`),
  failed: 'It could not be changed.',
  summary: 'Some devices were not changed',
}
