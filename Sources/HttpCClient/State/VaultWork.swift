package import HttpCTerminal
import HttpConvVault

/// Work with a vault.
package enum VaultWork {
    /// Uses a vault in a task of its own, so that results are saved even if the run is interrupted: a vault refuses the
    /// requests of a cancelled task.
    package static func uncancelled<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws(CommandFailure) -> Value {
        switch await Task(operation: work).result {
        case .success(let value): return value
        case .failure(let error as CommandFailure): throw error
        case .failure(let error as DataVaultError): throw StateFailure.failure(error)
        case .failure: throw StateFailure.unexpected
        }
    }
}
