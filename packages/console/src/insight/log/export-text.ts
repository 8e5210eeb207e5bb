import { wording } from '#console/core/language.ts'

export const exporting = wording('exporting', {
  start: 'CSV',
  title: 'Descargar en CSV los registros del filtro',
  cancel: 'Cancelar la descarga',
  progress: (megabytes: string) => `${megabytes} MB`,
  started: 'Preparando…',
  done: (name: string) => `${name} descargado`,
  failed: 'La descarga del CSV no terminó: no se ha guardado nada.',
})
