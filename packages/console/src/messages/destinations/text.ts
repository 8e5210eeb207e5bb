import { wording } from '#console/core/language.ts'

export const destinations = wording('destinations', {
  intro:
    'A qué números puede escribir la empresa, desde la consola y por tareas. Lo que ya espera no se toca; lo que se rechaza dice por qué.',
  allow: 'Prefijos permitidos',
  allowHint: 'Uno por línea, como +34 o 6. Vacío: todos los números.',
  deny: 'Prefijos prohibidos',
  denyHint: 'Uno por línea. Pesan más que los permitidos.',
  prefixesWrong: (prefix: string) => `«${prefix}» no es un prefijo: un + si hace falta, y de 1 a 15 cifras.`,
  tooMany: (most: number) => `Como mucho ${most} prefijos.`,
  cap: 'Mensajes al día a un mismo número',
  capHint: 'Consola y tareas juntas, hasta la medianoche. Vacío: sin tope.',
  capRange: 'Escriba un número entero de 1 a 100000, o nada.',
  save: 'Guardar destinos',
  saved: 'Destinos guardados.',
  saveFailed: 'No se pudieron guardar los destinos.',
  loadFailed: 'No se pudieron cargar los destinos.',
  everything: 'Sin restricciones: se puede escribir a cualquier número.',
})
