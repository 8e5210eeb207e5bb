export const part = {
  failed: 'A part of the console could not be loaded. Reload the page.',
  reload: 'Reload',
}
