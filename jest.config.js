/** Jest strips the types itself; `npm test` passes --experimental-vm-modules for ES modules. */
export default {
  testEnvironment: "node",
  transform: {},
  extensionsToTreatAsEsm: [".ts"],
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  // Ends what hangs; no test takes nearly so long, but on a busy machine a start of the program alone may take seconds.
  testTimeout: 60_000,
  maxWorkers: 2,
};
