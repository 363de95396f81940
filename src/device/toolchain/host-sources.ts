/** The texts of the host device's headers by their paths; the build puts them in this module's place. None where run from source. */
export const hostSources = (): Readonly<Record<string, string>> => ({});
