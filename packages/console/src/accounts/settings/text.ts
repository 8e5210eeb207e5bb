import { wording } from '#console/core/language.ts'

export const settings = wording('settings', {
  title: 'Settings',
  global: 'Global settings',
  device: 'Device settings',
  apiKeys: 'Claves de API',
  callbacks: 'Callbacks',
  optOuts: 'Bajas',
  keywords: 'Palabras',
  alerts: 'Alertas',
  destinations: 'Destinos',
  quotas: 'Cuotas',
  audit: 'Auditoría',
  toGlobal: 'Ir a Global settings',
  saving: 'Saving...',
  unsaved: 'Hay cambios sin guardar.',
  discard: 'Descartar',
  saveFailed: 'Error al guardar',
  company: 'Company',
  readOnly: 'Solo un administrador puede cambiar los ajustes.',
})
