export const newCampaign = {
  title: 'Nueva campaña',
  back: 'Campañas',
}
