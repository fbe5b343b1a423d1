/** Jest strips the types itself; `npm test` passes --experimental-vm-modules for ES modules. */
export default {
  testEnvironment: "node",
  transform: {},
  extensionsToTreatAsEsm: [".ts"],
  testMatch: ["<rootDir>/test/**/*.test.ts"],
  testTimeout: 20_000,
  maxWorkers: 2,
};
