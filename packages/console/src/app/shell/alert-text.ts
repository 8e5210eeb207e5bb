import { wording } from '#console/core/language.ts'

export const alerts = wording('alerts', {
  one: (uid: string) => `Dispositivo desconectado: ${uid}`,
  several: (count: number) => `${count} dispositivos desconectados`,
  refused: 'El navegador no permite avisos de esta página. Permítalos en su configuración.',
  switchOn: 'Avisarme si se desconecta un dispositivo',
  switchOff: 'No avisarme más de desconexiones',
  on: 'Recibirá un aviso si se desconecta un dispositivo mientras esta ventana no está a la vista.',
  off: 'No recibirá más avisos.',
})
