export const bulkDiscard = {
  discard: 'Discard',
  title: (count: number) => (count === 1 ? 'Discard 1 task?' : `Discard ${count} tasks?`),
  means:
    'This cannot be undone. Devices that already have some of them are asked not to send them, if they have not done so yet.',
  ended: (count: number) =>
    count === 1
      ? '1 has already ended and stays as it is.'
      : `${count} have already ended and stay as they are.`,
  failed: 'It could not be discarded.',
  done: (count: number) => (count === 1 ? '1 task discarded' : `${count} tasks discarded`),
  summary: 'Not all tasks were discarded',
}
