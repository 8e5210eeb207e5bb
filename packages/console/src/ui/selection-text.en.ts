export const selecting = {
  begin: 'Select',
  row: (name: string) => `Select ${name}`,
  all: (count: string) => (count === '1' ? 'Select the only row' : `Select all ${count} rows`),
  bar: 'Selection',
  selected: (count: number) => `${count} selected`,
  hidden: (count: number) =>
    count === 1 ? '1 does not match the filter' : `${count} do not match the filter`,
  everyMatch: (count: string) => `All that match the filter (${count})`,
  everyLoaded: (count: string) => `All that are loaded (${count})`,
  none: 'None',
  end: 'End the selection',
  progress: (done: string, total: string) => `${done} of ${total}`,
  stop: 'Stop',
  outcome: (changed: number, refused: number) => `Changed: ${changed}. Not changed: ${refused}.`,
  left: (count: number) => `Not tried: ${count}.`,
  more: (count: string) => `and ${count} more`,
  undo: 'Undo',
}
