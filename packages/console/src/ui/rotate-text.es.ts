export const rotation = {
  rotate: 'Rotar',
  overlaps: { 0: 'No: deja de valer ahora', 1: 'Sí, 1 hora', 24: 'Sí, 24 horas', 168: 'Sí, 7 días' },
  end: 'Anular ya',
}
