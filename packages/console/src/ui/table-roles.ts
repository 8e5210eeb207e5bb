/**
 * Explicit table roles to spread over the elements that have them by default. A table drawn as a grid or as cards loses
 * its roles in some browsers.
 */
export const tableRoles = {
  table: { role: 'table' },
  rows: { role: 'rowgroup' },
  row: { role: 'row' },
  heading: { role: 'columnheader', scope: 'col' },
  cell: { role: 'cell' },
} as const
