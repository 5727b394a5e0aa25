internal import HttpConvAuthFlows
package import HttpConvVault

extension DataVaultError: TokenStorageError {
    package var codeName: String { code.description }
}

/// The errors of a storage whose vault fails.
enum VaultStorageFailure {
    /// - Parameter wish: the failed operation, such as "read the tokens of …"; no secret.
    static func error(_ error: any Error, to wish: String) -> any Error {
        guard let error = error as? DataVaultError else { return error }
        switch error.code {
        case .cancelled: return CancellationError()
        case .leaseLost:
            return OAuth2Error(
                .leaseLost, "Could not \(wish): the lease has ended. Nothing was changed.",
                underlyingError: error)
        default:
            return OAuth2Error(
                .storageFailed, "The vault could not \(wish): \(error.message)", underlyingError: error)
        }
    }
}
