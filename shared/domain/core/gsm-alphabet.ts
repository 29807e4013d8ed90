/** GSM 03.38 default alphabet in the order of its codes, without the escape at 0x1B. */
export const GSM_BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
/** GSM 03.38 extension table in the order of its codes: two septets, the escape and another. */
export const GSM_EXTENSION = '\f^{}\\[~]|€';
