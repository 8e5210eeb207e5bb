export const logView = {
  title: 'View of the log',
  columns: 'Columns',
}
