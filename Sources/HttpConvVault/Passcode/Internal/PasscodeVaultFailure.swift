/// Maps errors of the layers below to those of a passcode vault.
enum PasscodeVaultFailure {
    static func error(_ error: any Error) -> PasscodeVaultError {
        switch error {
        case let error as PasscodeVaultError: error
        case let error as DataVaultError: PasscodeVaultError(code(error.code), error.message, underlyingError: error)
        case is CancellationError: cancelled
        default: PasscodeVaultError(.ioFailure, "The vault cannot be used.", underlyingError: error)
        }
    }

    static let cancelled = PasscodeVaultError(.cancelled, "The task was cancelled; nothing was changed.")

    static let wiped = PasscodeVaultError(
        .wiped, "The vault was destroyed, and what was in it is gone: register again.")

    static let locked = PasscodeVaultError(.locked, "The vault is locked: its passcode is needed.")

    static let changed = PasscodeVaultError(
        .locked, "The vault's passcode was changed elsewhere: the new one is needed.")

    static func damaged(_ what: String) -> PasscodeVaultError {
        PasscodeVaultError(.damaged, "The vault is damaged or was tampered with: \(what).")
    }

    private static func code(_ code: DataVaultError.Code) -> PasscodeVaultError.Code {
        switch code {
        case .notFound: .notFound
        case .alreadyExists: .alreadyExists
        case .wrongKey: .wrongKey
        case .keyUnusable: .passcodeUnusable
        case .insecurePermissions: .insecurePermissions
        case .unsafeFile: .unsafeFile
        case .unsupportedFormat: .unsupportedFormat
        case .damaged, .parametersRefused: .damaged
        case .locked: .busy
        case .readOnly: .readOnly
        case .diskFull: .diskFull
        case .cancelled: .cancelled
        // The passcode was changed elsewhere: lock, and ask for the new one.
        case .closed, .keyChanged: .locked
        case .tooLarge, .invalidArgument: .invalidValue
        default: .ioFailure
        }
    }
}
