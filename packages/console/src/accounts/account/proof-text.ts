import { wording } from '#console/core/language.ts'

export const proof = wording('proof', {
  title: 'Confirme que es usted',
  why: 'Lo que va a hacer da acceso a alguien. Durante 5 minutos no se le volverá a preguntar.',
  password: 'Contraseña actual',
  code: 'Código',
  codeHint: 'Seis dígitos de la aplicación, o un código de recuperación.',
  usePassword: 'Usar la contraseña',
  useCode: 'Usar un código',
  confirm: 'Confirmar',
  required: 'Este campo es obligatorio.',
  failed: 'No se pudo confirmar.',
})
