export const proof = {
  title: 'Confirme que es usted',
  why: 'Esto da acceso a alguien. Vale durante 5 minutos en este navegador.',
  password: 'Contraseña actual',
  code: 'Código',
  codeHint: 'Seis dígitos de la aplicación, o un código de recuperación.',
  usePassword: 'Usar la contraseña',
  useCode: 'Usar un código',
  confirm: 'Confirmar',
  required: 'Este campo es obligatorio.',
  failed: 'No se pudo confirmar.',
}
