let copies = 0;

/**
 * Another copy of a module, and of what it imports of the project, as another process has it: by its address, with the environment as it is now.
 * Packages are not copied.
 */
export const importFresh = async <T>(url: string): Promise<T> => (await import(`${url}?copy=${++copies}`)) as T;
