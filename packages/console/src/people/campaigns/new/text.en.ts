export const newCampaign = {
  title: 'New campaign',
  back: 'Campaigns',
}
