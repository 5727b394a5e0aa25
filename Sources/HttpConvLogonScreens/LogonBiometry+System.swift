public import HttpConvLogon

extension LogonBiometry {
    /// Fingerprint or face by the keychain of Apple's systems; never ready on others. See `Logon.allowBiometry()`.
    public static func system(_ logon: Logon) -> LogonBiometry {
        LogonBiometry {
            await logon.isBiometryReady()
        } unlock: { () async throws(LogonError) in
            try await logon.unlockByBiometry()
        }
    }
}
