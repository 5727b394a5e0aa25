import Testing

/// Several processes and a server over sockets; the tests run one after the other, because they need the whole machine.
@Suite("Vault storage: processes and a server", .serialized) enum ProcessTests {}
