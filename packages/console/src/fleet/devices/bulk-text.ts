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
