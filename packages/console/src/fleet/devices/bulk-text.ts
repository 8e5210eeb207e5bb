import { wording } from '#console/core/language.ts'

export const deviceBulk = wording('deviceBulk', {
  enable: 'Habilitar',
  disable: 'Deshabilitar',
  limit: 'Límite diario…',
  limitTitle: (count: number) =>
    count === 1 ? 'Límite de 1 dispositivo' : `Límite de ${count} dispositivos`,
  limitLabel: 'SMS al día',
  limitHint: 'De 0 a 100000. Con 0 no envían nada.',
  limitRange: 'Escriba un número entero de 0 a 100000.',
  tags: 'Etiquetas…',
  tagsTitle: (count: number) =>
    count === 1 ? 'Etiquetas de 1 dispositivo' : `Etiquetas de ${count} dispositivos`,
  tagsHint: 'Separadas por espacios.',
  addTags: 'Añadir',
  removeTags: 'Quitar',
  addTag: (field: string, tag: string) => `${field}: ${tag}`,
  tagFault: (tag: string) =>
    `«${tag}» no vale: 1 a 32 letras, cifras, puntos o guiones, y no «any», «wait» ni «refuse».`,
  tooManyTags: (most: number) => `Son más de ${most}.`,
  noTags: 'Escriba alguna etiqueta.',
  inBoth: (tag: string) => `«${tag}» está también entre las que se añaden.`,
  tagged: (count: number) =>
    count === 1
      ? '1 dispositivo con las etiquetas cambiadas'
      : `${count} dispositivos con las etiquetas cambiadas`,
  maintenance: 'Mantenimiento…',
  maintenanceTitle: (count: number) =>
    count === 1 ? 'Mantenimiento de 1 dispositivo' : `Mantenimiento de ${count} dispositivos`,
  maintenanceMeans: 'Mientras dura no salen mensajes ni se abren alertas. Las órdenes y los informes siguen.',
  until: 'Hasta',
  spans: { 1: '1 h', 4: '4 h', 24: '1 día', 168: '7 días' },
  notAhead: 'Escriba una hora futura.',
  begin: 'Empezar',
  end: 'Terminar mantenimiento',
  resting: (count: number) =>
    count === 1 ? '1 dispositivo en mantenimiento' : `${count} dispositivos en mantenimiento`,
  maintenanceOver: (count: number) =>
    count === 1 ? '1 dispositivo sin mantenimiento' : `${count} dispositivos sin mantenimiento`,
  apply: 'Aplicar',
  enabled: (count: number) =>
    count === 1 ? '1 dispositivo habilitado' : `${count} dispositivos habilitados`,
  disabled: (count: number) =>
    count === 1 ? '1 dispositivo deshabilitado' : `${count} dispositivos deshabilitados`,
  limited: (count: number, limit: string) =>
    count === 1 ? `1 dispositivo con ${limit} SMS al día` : `${count} dispositivos con ${limit} SMS al día`,
  undone: (count: number) =>
    count === 1
      ? '1 dispositivo vuelve a estar como antes'
      : `${count} dispositivos vuelven a estar como antes`,
  failed: 'No se pudo cambiar.',
  summary: 'Algunos dispositivos no cambiaron',
})
