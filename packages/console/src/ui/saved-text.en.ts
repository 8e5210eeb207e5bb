export const savedViews = {
  saved: 'Saved views',
  none: 'There are none yet. A view keeps the list as it is now, in this browser.',
  name: 'Name',
  save: 'Save this view',
  remove: (name: string) => `Delete the view ${name}`,
}
