/** The active codes of ISO 4217 for the money of countries. */
const CODES = `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK
DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW
KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR
PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS
VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`;

/** Other active codes: funds and units of account, metals, testing, and no currency. */
const OTHERS = `BOV CHE CHW CLF COU MXV USN UYI UYW XAD XSU XUA XBA XBB XBC XBD XDR XAG XAU XPD XPT XTS XXX`;

/** Recently withdrawn codes: older amounts use them. */
const WITHDRAWN = `ANG BGN CUC HRK SLL ZWL`;

const CURRENCIES: ReadonlySet<string> = new Set(`${CODES} ${OTHERS} ${WITHDRAWN}`.split(/\s/));

/**
 * Whether a text is an ISO 4217 code (three capital letters) that is active or was withdrawn recently: of money, a
 * fund, a metal or a unit of account.
 */
export const isCurrency = (code: string): boolean => CURRENCIES.has(code);
