export const exporting = {
  start: 'CSV',
  title: 'Download what matches the filter as CSV',
  sheet: 'Excel',
  sheetTitle: 'Download what matches the filter for a spreadsheet, with local times',
  cancel: 'Cancel the download',
  progress: (megabytes: string) => `${megabytes} MB`,
  started: 'Preparing…',
  done: (name: string) => `${name} downloaded`,
  failed: 'The CSV download was interrupted: nothing was saved.',
  /** What a spreadsheet of this language expects between the cells, and how it reads a time. */
  form: {
    separator: ',',
    time: (at: Date) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clock(at)}`,
  },
}

function clock(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
}

function two(figure: number): string {
  return String(figure).padStart(2, '0')
}
