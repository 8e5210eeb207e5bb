export const destinations = {
  intro:
    'A qué números puede escribir la empresa, desde la consola y con tareas. Los mensajes que ya esperan no cambian; cada rechazo dice su motivo.',
  allow: 'Prefijos permitidos',
  allowHint: 'Uno por línea, como +34 o 6. Vacío: todos los números.',
  deny: 'Prefijos prohibidos',
  denyHint: 'Uno por línea. Prevalecen sobre los permitidos.',
  prefixesWrong: (prefix: string) =>
    `«${prefix}» no es un prefijo. Escriba de 1 a 15 cifras, con un + delante si hace falta.`,
  tooMany: (most: number) => `Puede haber como máximo ${most} prefijos.`,
  cap: 'Mensajes al día a un mismo número',
  capHint: 'De la consola y de las tareas en total, hasta la medianoche. Vacío: sin límite.',
  capRange: 'Escriba un número entero de 1 a 100000, o déjelo vacío.',
  save: 'Guardar destinos',
  saved: 'Destinos guardados.',
  saveFailed: 'No se pudieron guardar los destinos.',
  loadFailed: 'No se pudieron cargar los destinos.',
  everything: 'Sin restricciones: se puede escribir a cualquier número.',
}
