import { wording } from '#console/core/language.ts'

export const linking = wording('linking', {
  open: 'Link device',
  title: 'Link device',
  intro:
    'Un código une dispositivos a su empresa. Se muestra una vez: al cerrar esta ventana ya no se puede ver.',
  uses: 'Dispositivos',
  usesHint: 'Cuántos pueden unirse con el código, de 1 a 10000.',
  usesRange: 'Escriba un número entero de 1 a 10000.',
  validity: 'Validez',
  validities: { 600: '10 minutos', 3600: '1 hora', 28800: '8 horas', 86400: '24 horas' },
  create: 'Crear código',
  createFailed: 'No se pudo crear el código.',
  code: 'Código',
  copyCode: 'Copiar código',
  command: 'Junto a la radio, con el agente instalado, ejecute',
  copyCommand: 'Copiar orden',
  copied: 'Copiado',
  picture: 'Código QR con la orden para el dispositivo',
  pictureHint: 'El QR lleva la misma orden.',
  left: 'Caduca en',
  expired: 'El código ha caducado.',
  another: 'Crear otro',
  waiting: 'Esperando al dispositivo…',
  joined: (joined: string, uses: string) => `${joined} de ${uses} vinculados`,
  linked: (uid: string) => `${uid} se ha vinculado`,
  next: 'Aparece como connected en cuanto se conecta con su uid y su secreto.',
  nextDisabled: 'Está deshabilitado: no recibe mensajes hasta que un administrador lo habilite.',
  see: 'Ver dispositivo',
  codes: 'Códigos que aún sirven',
  noCodes: 'Ningún código sirve ahora: con ninguno puede unirse un dispositivo.',
  codesFailed: 'No se pudieron cargar los códigos.',
  usesLeft: (left: number, uses: number) =>
    uses === 1 ? 'un dispositivo' : `quedan ${left} de ${uses} usos`,
  madeBy: (name: string) => `Creado por ${name}`,
  expires: (time: string) => `caduca el ${time}`,
  revoke: 'Revocar',
  revokeOne: (hint: string) => `Revocar el código ${hint}…`,
  revokeMeans: (left: number) =>
    left === 1
      ? 'El dispositivo que aún podía unirse con él ya no podrá: hará falta otro código.'
      : `Los ${left} dispositivos que aún podían unirse con él ya no podrán: hará falta otro código.`,
  revokeKeeps: 'Los que ya se unieron siguen vinculados.',
  revokeFailed: 'No se pudo revocar el código.',
  revoked: (hint: string) => `El código ${hint}… ya no sirve`,
})
