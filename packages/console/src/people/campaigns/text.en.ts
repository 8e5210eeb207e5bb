export const campaigns = {
  title: 'Campaigns',
  list: 'Campaigns of the company',
  add: 'New campaign',
  loadFailed: 'The campaigns could not be loaded.',
  empty: 'There are no campaigns yet.',
  emptyHint: 'You need a CSV with a column of numbers, or a list of contacts.',
  open: (name: string) => `Open ${name}`,
  copied: (name: string) => `${name} copied`,
  columns: { name: 'Campaign', state: 'State', rows: 'Progress' },
  states: {
    draft: 'Draft',
    scheduled: 'Scheduled',
    running: 'Running',
    paused: 'Paused',
    stopped: 'Stopped',
    finished: 'Finished',
  },
}
