import { wording } from '#console/core/language.ts'

export const duty = wording('duty', {
  passwordTitle: 'Cambie su contraseña',
  passwordWhy:
    'La que acaba de usar se la dio otra persona, o puede conocerla alguien más. Elija una que solo conozca usted para continuar.',
  given: 'Contraseña recibida',
  passwordAction: 'Cambiar y continuar',
  factorTitle: 'Active el segundo factor',
  factorWhy:
    'Su empresa lo exige a quien administra: además de la contraseña, un código de una aplicación de su teléfono. Confirme primero que es usted.',
  leave: 'Salir',
})
