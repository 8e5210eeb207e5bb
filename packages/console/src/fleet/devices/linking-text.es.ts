export const linking = {
  title: 'Vincular dispositivo',
  intro:
    'Con un código, los dispositivos se unen a su empresa. Se muestra una sola vez: al cerrar esta ventana ya no se puede ver.',
  uses: 'Dispositivos',
  usesHint: 'Cuántos pueden unirse con el código, de 1 a 10000.',
  usesRange: 'Escriba un número entero de 1 a 10000.',
  validity: 'Validez',
  validities: { 600: '10 minutos', 3600: '1 hora', 28800: '8 horas', 86400: '24 horas' },
  create: 'Crear código',
  createFailed: 'No se pudo crear el código.',
  code: 'Código',
  copyCode: 'Copiar código',
  ways: 'Qué tiene el dispositivo',
  way: { modem: 'Módem', phone: 'Móvil con la app', none: 'Sin hardware' },
  loopback: (host: string) =>
    `${host} es este mismo equipo: desde otro, o desde un móvil, no se llega a esta dirección. Abra la consola por la dirección de red del servidor y cree el código allí.`,
  install: {
    modem: 'En el equipo que tiene el módem, instale el agente',
    phone: 'En un equipo de la misma red que el móvil, instale el agente',
    none: 'En una copia del programa, prepare el agente',
  },
  installHint: {
    modem: 'Con Node 22.13 o posterior. docs/agent.md dice cómo se hace el paquete sdd-agent.',
    phone: 'Con Node 22.13 o posterior. docs/agent.md dice cómo se hace el paquete sdd-agent.',
    none: 'Con Node 22.13 o posterior. El módem es simulado: no se envía nada.',
  },
  copyInstall: 'Copiar instalación',
  app: 'En el móvil abra SMS Gateway for Android (sms-gate.app), active Local Server y copie aquí lo que muestra',
  appUrl: 'Dirección',
  appUser: 'Usuario',
  command: {
    modem: 'Vincule el módem',
    phone: 'Vincule el móvil; el agente pide la contraseña que muestra la app',
    none: 'Vincule el módem simulado',
  },
  copyCommand: 'Copiar comando',
  run: 'Ponga en marcha el agente',
  copyRun: 'Copiar arranque',
  copied: 'Copiado',
  picture: 'Código QR con el comando para el dispositivo',
  pictureHint: 'El QR contiene el mismo comando.',
  left: 'Caduca en',
  expired: 'El código ha caducado.',
  another: 'Crear otro',
  waiting: 'Esperando al dispositivo…',
  joined: (joined: string, uses: string) => `${joined} de ${uses} vinculados`,
  linked: (uid: string) => `${uid} se ha vinculado`,
  next: 'Aparecerá como conectado en cuanto se conecte.',
  nextDisabled: 'Está deshabilitado: no recibe mensajes hasta que un administrador lo habilite.',
  ready: 'Está conectado y puede enviar.',
  test: 'Enviar un SMS de prueba',
  see: 'Ver dispositivo',
  codes: 'Códigos vigentes',
  noCodes: 'No hay ningún código vigente: ningún dispositivo puede unirse ahora.',
  codesFailed: 'No se pudieron cargar los códigos.',
  usesLeft: (left: number, uses: number) =>
    uses === 1
      ? 'para un dispositivo'
      : left === 1
        ? `queda 1 de ${uses} usos`
        : `quedan ${left} de ${uses} usos`,
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
}
