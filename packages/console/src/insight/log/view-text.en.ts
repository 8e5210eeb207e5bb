export const logView = {
  title: 'View of the log',
  columns: 'Columns',
  saved: 'Saved views',
  none: 'There are none yet. A view keeps the current filters and columns in this browser.',
  name: 'Name',
  save: 'Save this view',
  remove: (name: string) => `Delete the view ${name}`,
}
