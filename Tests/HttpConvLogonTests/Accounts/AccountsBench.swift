import Foundation
import HttpC
import HttpConvVault
import TestLandscape

@testable import HttpConvLogon

extension LogonBench {
    /// The accounts in a bench's directory, as a process sees them at its start.
    func accounts(failPoint: (@Sendable (VaultGroup.FailPoint) -> Void)? = nil) -> LogonAccounts {
        var vault = PasscodeVaultConfiguration()
        vault.scrypt = try? ScryptParameters(cost: 1 << 10, blockSize: 8, parallelism: 1)
        return LogonAccounts(directory: directory, failPoint: failPoint) { [configuration, transport, vault] in
            Logon(
                application: Self.applicationID, directory: $0, transport: transport, configuration: configuration,
                deviceID: "device-1", vault: vault)
        }
    }

    /// Adds an account, and registers it.
    @discardableResult
    func add(
        _ name: String, to accounts: LogonAccounts, user: String = "alice", passcode: String = Self.passcode
    ) async throws -> LogonAccount {
        let account = try await accounts.add(named: name)
        let logon = try await accounts.logon(for: account.id)
        landscape.addUser(user, password: "wonderland")
        try await logon.register(input(user: user))
        try await logon.makeVault(passcode: passcode, repeated: passcode)
        return account
    }

    /// The directory of the further accounts.
    var group: URL { directory.appending(path: "accounts", directoryHint: .isDirectory) }

    func files(in directory: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
    }
}

/// The code of the account's error below an error of the logon.
func accountCode<Result>(_ body: () async throws -> Result) async -> LogonAccountError.Code? {
    (await logonError(body)?.underlyingError as? LogonAccountError)?.code
}
