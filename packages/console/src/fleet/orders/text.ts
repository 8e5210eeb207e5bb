import type { Ability } from '@sdd/contract/fleet/orders.ts'
import { wording } from '#console/core/language.ts'

export const orders = wording('orders', {
  title: 'Órdenes',
  none: 'Todavía no se le ha pedido nada.',
  loadFailed: 'No se pudieron cargar sus órdenes.',
  what: {
    ussd: 'USSD',
    restart_radio: 'Reiniciar radio',
    doctor: 'Doctor',
    logs: 'Registro del agente',
    configure: 'Configurar',
  } satisfies Record<Ability, string>,
  /** The buttons that open a dialog. */
  opens: {
    ussd: 'USSD…',
    restart_radio: 'Reiniciar radio…',
    logs: 'Registro del agente…',
    configure: 'Configurar…',
  },
  away: 'Está desconectado: no puede recibir órdenes.',
  notAble: 'Este dispositivo no sabe hacerlo.',
  failed: 'No se pudo dar la orden.',
  given: 'Preguntando…',
  expired: 'No ha contestado.',
  answered: 'Contestada',
  refused: 'No pudo',
  secret: 'Solo un administrador puede ver esta respuesta.',
  noOutput: 'Contestó sin texto.',
  more: 'Ver más',
  repeat: 'Repetir',
  run: 'Ejecutar',
  never: 'Todavía no se ha ejecutado.',
  levels: { bad: 'Mal', note: 'Atención', good: 'Bien' },
  titleOf: (what: string, uid: string) => `${what}: ${uid}`,
  code: 'Código',
  codeHint: 'Por ejemplo *100#, para preguntar el saldo.',
  codeRule: 'Escriba de 1 a 100 de estos signos: 0-9 * # +',
  confirm: 'Repita el código: puede mover saldo o cambiar la tarifa',
  confirmRule: 'No es el mismo código.',
  dial: 'Marcar',
  restart: 'Reiniciar',
  restartMeans: (waiting: number) =>
    waiting === 0
      ? 'Mientras se reinicia no envía ni recibe. Ahora no tiene mensajes.'
      : waiting === 1
        ? 'Mientras se reinicia no envía ni recibe. El mensaje que tiene espera.'
        : `Mientras se reinicia no envía ni recibe. Los ${waiting} mensajes que tiene esperan.`,
  lines: 'Líneas',
  linesHint: 'De 1 a 1000, las últimas.',
  linesRule: 'Escriba un número entero de 1 a 1000.',
  ask: 'Pedir',
  settings: 'Ajustes',
  settingsHint: 'Uno por línea: number=+34600111222. Sin valor, se quita.',
  settingsRule: 'Escriba cada ajuste como nombre=valor.',
  change: 'Cambiar',
  answer: 'Respuesta',
})
