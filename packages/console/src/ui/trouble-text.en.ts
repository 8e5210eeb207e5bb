export const troubles = {
  partMissing: 'A part of the console could not be loaded. Reload the page.',
  reload: 'Reload',
  notCopied: 'It could not be copied. Select the text and copy it.',
}
