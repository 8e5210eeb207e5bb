export const sending = {
  off: (at: string | undefined, by: string | undefined) =>
    `Envío desactivado${at ? ` desde ${at}` : ''}${by ? ` por ${by}` : ''}`,
  waiting: (count: string) => (count === '1' ? '1 mensaje espera' : `${count} mensajes esperan`),
  stop: 'Parar el envío',
  stopQuestion: '¿Parar el envío?',
  stopAbout: 'Los dispositivos de su empresa no reciben más mensajes. Los que esperan siguen en la cola.',
  resume: 'Reanudar el envío',
  resumeQuestion: '¿Reanudar el envío?',
  resumeAbout: 'Los mensajes que esperan salen enseguida.',
  stopped: 'Envío parado.',
  resumed: 'Envío reanudado.',
}
