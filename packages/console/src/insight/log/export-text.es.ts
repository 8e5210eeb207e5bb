export const exporting = {
  start: 'CSV',
  title: 'Descargar en CSV los mensajes del filtro',
  cancel: 'Cancelar la descarga',
  progress: (megabytes: string) => `${megabytes} MB`,
  started: 'Preparando…',
  done: (name: string) => `${name} descargado`,
  failed: 'La descarga del CSV se interrumpió: no se guardó nada.',
}
