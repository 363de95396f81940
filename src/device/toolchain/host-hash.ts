/** Names what the host device is made of; the build puts the hash of it in this module's place. '' where run from source. */
export const HOST_HASH: string = '';
