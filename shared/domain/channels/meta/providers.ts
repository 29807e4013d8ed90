/** API names of Meta's providers. */
export const META_PROVIDERS = { whatsapp: 'whatsapp_cloud_api', instagram: 'instagram_messaging_api' } as const;
/** Meta's channels. */
export type MetaChannel = keyof typeof META_PROVIDERS;
