/// Keeps keys of vaults where the system releases them by fingerprint or face, on this device only. Calls may block:
/// the system's store is another process.
package protocol BiometricKeys: Sendable {
    /// Keeps a key in place of an older one of that name.
    ///
    /// - Throws: ``PasscodeVaultError/Code/biometryUnavailable``
    func keep(_ key: [UInt8], as name: String) throws(PasscodeVaultError)
    /// Asks the person, and returns the key.
    ///
    /// - Throws: ``PasscodeVaultError/Code/cancelled``, ``PasscodeVaultError/Code/biometryUnavailable``
    func release(_ name: String) throws(PasscodeVaultError) -> [UInt8]
    /// Whether a key is kept. Asks nobody.
    func holds(_ name: String) -> Bool
    /// Removes a key.
    func remove(_ name: String)
}

extension PasscodeVaultError {
    static func biometry(_ message: String) -> PasscodeVaultError { PasscodeVaultError(.biometryUnavailable, message) }
}
