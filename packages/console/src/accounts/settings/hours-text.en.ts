export const sendingHours = {
  classes: { marketing: 'Hours of marketing', transactional: 'Hours of all other messages' },
  hints: {
    marketing: 'Outside them, marketing messages wait. One-time codes never wait.',
    transactional: 'Without hours they leave at any time. This also counts for what a person writes.',
  },
  limited: 'Only at certain hours',
}
