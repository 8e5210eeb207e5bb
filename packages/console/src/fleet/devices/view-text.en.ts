export const viewOptions = {
  title: 'View of the table',
  order: 'Order',
  problems: 'Problems first',
  columns: 'Added columns',
}
