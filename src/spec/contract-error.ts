/** Contracts that cannot be used: one line for each mistake, each with its file. */
export class ContractError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ContractError';
  }
}
