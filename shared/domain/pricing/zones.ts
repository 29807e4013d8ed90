/**
 * The calling codes of each zone, and area codes whose zone differs from their calling code's. Worldwide networks
 * (satellite, universal and premium numbers: 800, 808, 870, 878, 881, 882, 883, 888, 979) have no zone: nothing is sent
 * there until an operator sets a price.
 */
const ZONE_PREFIXES = {
  brazil: '55',
  northAmerica: '1',
  latinAmerica: `
    51 52 54 56 57 58 500 501 502 503 504 505 506 507 509 591 592 593 594 595 596 597 598 590 599 297 508
    1787 1939 1340 1809 1829 1849`,
  europe: `
    30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 298 299 350 351 352 353 354 355 356 357 358 359 370 371 372 373
    374 376 377 378 380 381 382 383 385 386 387 389 420 421 423 90`,
  asiaPacific: `
    60 61 63 64 65 66 81 82 84 86 91 670 673 675 679 852 853 855 856 886 960 976 977 1671 1670 1684`,
  middleEastAfrica: `
    27 98 211 212 213 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235 236 237 238 239 240 241 242
    243 244 245 248 249 250 252 253 254 255 256 257 258 260 261 262 263 264 265 266 267 268 269 291 961 962 963 964
    965 966 967 968 970 971 972 973 974 975`,
  remote: `
    7 20 53 62 92 93 94 95 216 246 247 251 290 375 672 674 676 677 678 680 681 682 683 685 687 688 689 686 690 691 692
    850 880 992 993 994 995 996 998
    1242 1246 1264 1268 1284 1345 1441 1473 1649 1658 1664 1721 1758 1767 1784 1868 1869 1876`,
} as const;

export type Zone = keyof typeof ZONE_PREFIXES;

/** The E.164 prefixes of each zone. Every country is in exactly one. */
export const ZONES = Object.fromEntries(
  Object.entries(ZONE_PREFIXES).map(([zone, prefixes]) => [zone, prefixes.trim().split(/\s+/)]),
) as unknown as Readonly<Record<Zone, readonly string[]>>;

export const ZONE_NAMES = Object.keys(ZONE_PREFIXES) as readonly Zone[];
