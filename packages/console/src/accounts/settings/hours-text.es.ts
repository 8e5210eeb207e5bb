export const sendingHours = {
  classes: { marketing: 'Horario de marketing', transactional: 'Horario de los demás mensajes' },
  hints: {
    marketing: 'Fuera de él, los mensajes de marketing esperan. Los códigos de un solo uso nunca esperan.',
    transactional: 'Sin horario salen a cualquier hora. Vale también para lo que escribe una persona.',
  },
  limited: 'Solo a ciertas horas',
}
