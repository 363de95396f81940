/** A metallib, as the emulated framework takes it. */
export const metallibOf = (host: Uint8Array): Uint8Array => new Uint8Array([...Buffer.from('MTLB'), ...host]);
