import * as z from 'zod';

/** A text among an operator's settings, which is not empty, with its meaning. */
export const textSetting = (description: string) => z.string().min(1).describe(description);
export const optionalTextSetting = (description: string) => z.string().min(1).optional().describe(description);
