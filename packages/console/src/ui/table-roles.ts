/**
 * The roles of a table's parts, written out: drawn as a grid or as cards, a table loses its roles in some browsers.
 * To be spread over the elements that have these roles by nature.
 */
export const as = {
  table: { role: 'table' },
  rows: { role: 'rowgroup' },
  row: { role: 'row' },
  heading: { role: 'columnheader', scope: 'col' },
  cell: { role: 'cell' },
} as const
