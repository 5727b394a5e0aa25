#if canImport(Security) && !os(Linux)
public import HttpConvLogon

extension LogonBiometry {
    /// Fingerprint or face by the keychain: see `Logon.allowBiometry()`.
    public static func system(_ logon: Logon) -> LogonBiometry {
        LogonBiometry {
            await logon.isBiometryReady()
        } unlock: { () async throws(LogonError) in
            try await logon.unlockByBiometry()
        }
    }
}
#endif
