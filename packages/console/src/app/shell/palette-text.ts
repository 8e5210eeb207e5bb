import { wording } from '#console/core/language.ts'

export const palette = wording('palette', {
  title: 'Ir a cualquier parte',
  placeholder: 'Pantalla, UID, número, GUID…',
  results: 'Resultados',
  count: (n: number) => (n === 1 ? '1 resultado' : `${n} resultados`),
  screens: 'Pantallas',
  devices: 'Dispositivos',
  messages: 'Mensajes',
  actions: 'Acciones',
  searching: 'Buscando mensajes…',
  searchFailed: 'No se pudieron buscar mensajes.',
  nothing: 'Nada coincide.',
  sendThrough: (uid: string) => `Send SMS por ${uid}`,
  allMessages: (wanted: string) => `Buscar «${wanted}» en Transaction Logs`,
  theme: (theme: string) => `Tema ${theme}`,
  link: 'Link device',
  newKey: 'Nueva clave de API',
  newUser: 'Anadir usuario',
  templates: 'Plantillas',
  move: 'mover',
  choose: 'abrir',
})
