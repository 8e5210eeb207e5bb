export const exporting = {
  start: 'CSV',
  title: 'Download the filtered messages as CSV',
  cancel: 'Cancel the download',
  progress: (megabytes: string) => `${megabytes} MB`,
  started: 'Preparing…',
  done: (name: string) => `${name} downloaded`,
  failed: 'The CSV download was interrupted: nothing was saved.',
}
