import { wording } from '#console/core/language.ts'

export const devicePage = wording('devicePage', {
  unknown: (uid: string) => `No hay ningún dispositivo ${uid}.`,
  back: 'Volver a los dispositivos',
  today: 'Hoy',
  presence: 'Presencia',
  holds: 'Lo que tiene ahora',
  about: 'Datos',
  sentToday: 'Enviados, de su límite diario',
  queued: 'Mensajes que lo esperan',
  lastSeen: 'Último contacto',
  linked: 'Vinculado',
  agent: 'Agente',
  location: 'Ubicación',
  note: 'Nota',
  never: 'nunca',
  messages: 'Mensajes',
  allMessages: 'Todos sus mensajes',
  failed: 'Fallidos',
  waiting: 'En espera',
  uncertain: 'Inciertos',
  changes: 'Quién lo cambió',
  actions: 'Acciones',
  edit: 'Editar…',
  editTitle: (uid: string) => `Editar ${uid}`,
  name: 'Nombre',
  nameHint: 'Para las personas: puede repetirse.',
  save: 'Guardar',
  saved: 'Guardado',
  saveFailed: 'No se pudo guardar.',
  limit: 'Límite…',
  limitTitle: (uid: string) => `Límite diario de ${uid}`,
  secret: 'Nuevo secreto…',
  secretTitle: (uid: string) => `Nuevo secreto de ${uid}`,
  secretMeans:
    'El secreto actual deja de servir y se corta la conexión. El dispositivo no vuelve a conectarse hasta que tenga el nuevo.',
  secretMake: 'Crear secreto',
  secretFailed: 'No se pudo crear el secreto.',
  secretLabel: 'Secreto',
  secretCopy: 'Copiar secreto',
  secretHint: 'Con el agente: póngalo en devices.json, o use «sdd-agent forget» y vincule de nuevo.',
  unlink: 'Desvincular…',
  unlinkTitle: (uid: string) => `Desvincular ${uid}`,
  unlinkMeans: (queued: number) =>
    queued === 0
      ? 'Se corta su conexión. Ningún mensaje lo espera.'
      : queued === 1
        ? 'Se corta su conexión. El mensaje que lo espera falla.'
        : `Se corta su conexión. Los ${queued} mensajes que lo esperan fallan.`,
  unlinkKeeps:
    'Los mensajes que ya tiene y de los que no ha informado quedan como inciertos. El historial se conserva, y el uid se puede vincular otra vez.',
  unlinkType: (uid: string) => `Escriba ${uid} para confirmarlo`,
  unlinkMismatch: 'No es su uid.',
  unlinkNow: 'Desvincular',
  unlinkFailed: 'No se pudo desvincular.',
  unlinked: (uid: string) => `${uid} se ha desvinculado`,
  attempts: 'Últimos intentos',
})
