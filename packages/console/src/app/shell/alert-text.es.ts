export const alerts = {
  one: (uid: string) => `Dispositivo desconectado: ${uid}`,
  several: (count: number) => `${count} dispositivos desconectados`,
  device: {
    switchOn: 'Avisarme si se desconecta un dispositivo',
    switchOff: 'No avisarme más de desconexiones',
    on: 'Recibirá un aviso si se desconecta un dispositivo mientras esta ventana no está a la vista.',
  },
  failedOne: 'Ha fallado un mensaje',
  failedSeveral: (count: number) => `Han fallado ${count} mensajes`,
  message: {
    switchOn: 'Avisarme si falla un mensaje',
    switchOff: 'No avisarme más de fallos',
    on: 'Recibirá un aviso si fallan mensajes mientras esta ventana no está a la vista.',
  },
  smsFrom: (who: string) => `SMS de ${who}`,
  smsSeveral: (count: number) => `${count} SMS nuevos`,
  sms: {
    switchOn: 'Avisarme si llega un SMS',
    switchOff: 'No avisarme más de los SMS',
    on: 'Recibirá un aviso si llega un SMS mientras esta ventana no está a la vista.',
  },
  refused: 'El navegador no permite avisos de esta página. Permítalos en su configuración.',
  off: 'No recibirá más avisos.',
}
