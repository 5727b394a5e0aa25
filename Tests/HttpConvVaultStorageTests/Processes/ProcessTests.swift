import Testing

/// Several processes and a server over sockets; one test after the other, for they need the whole machine.
@Suite("Vault storage: processes and a server", .serialized) enum ProcessTests {}
