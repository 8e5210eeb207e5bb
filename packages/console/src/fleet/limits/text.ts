import { wording } from '#console/core/language.ts'

export const deviceSettings = wording('deviceSettings', {
  save: 'Save',
  loadFailed: 'Error al cargar dispositivos',
  search: 'UID',
  list: 'Ajustes de los dispositivos',
  columns: {
    uid: 'UID',
    status: 'Status',
    max_sms_dayly: 'Max SMS daily',
    sent_today: 'Enviados hoy',
    actions: 'Actions',
  },
  limit: (uid: string) => `Max SMS daily ${uid}`,
  limitRange: 'Escriba un número entero de 0 a 100000.',
  none: 'no envía nada',
  edit: 'Edit',
  cancel: 'Cancel',
  limitSaved: (uid: string, limit: string) => `${uid}: ${limit} al día`,
  copied: (uid: string) => `${uid} copiado`,
  empty: 'Todavía no hay dispositivos.',
  toDevices: 'Link device',
  emptyFiltered: 'Ningún dispositivo cumple la búsqueda.',
})
