export const rotation = {
  rotate: 'Rotate',
  overlaps: {
    0: 'No: it stops working now',
    1: 'Yes, for 1 hour',
    24: 'Yes, for 24 hours',
    168: 'Yes, for 7 days',
  },
  end: 'End it now',
}
