import { wording } from '#console/core/language.ts'

export const part = wording('part', {
  failed: 'No se pudo cargar una parte de la consola. Recargue la página.',
  reload: 'Recargar',
})
