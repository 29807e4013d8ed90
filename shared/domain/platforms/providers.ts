/** The wire names of the providers of Meta's platforms. */
export const PLATFORM_PROVIDERS = { whatsapp: 'whatsapp_cloud_api', instagram: 'instagram_messaging_api' } as const;
/** The channels of Meta's platforms. */
export type PlatformChannel = keyof typeof PLATFORM_PROVIDERS;
export type PlatformProviderName = (typeof PLATFORM_PROVIDERS)[PlatformChannel];
