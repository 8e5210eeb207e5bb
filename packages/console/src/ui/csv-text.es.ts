export const exporting = {
  start: 'CSV',
  title: 'Descargar en CSV lo que cumple el filtro',
  sheet: 'Excel',
  sheetTitle: 'Descargar lo que cumple el filtro para una hoja de cálculo, con horas locales',
  cancel: 'Cancelar la descarga',
  progress: (megabytes: string) => `${megabytes} MB`,
  started: 'Preparando…',
  done: (name: string) => `${name} descargado`,
  failed: 'La descarga del CSV se interrumpió: no se guardó nada.',
  /** What a spreadsheet of this language expects between the cells, and how it reads a time. */
  form: {
    separator: ';',
    time: (at: Date) => `${two(at.getDate())}/${two(at.getMonth() + 1)}/${at.getFullYear()} ${clock(at)}`,
  },
}

function clock(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':')
}

function two(figure: number): string {
  return String(figure).padStart(2, '0')
}
