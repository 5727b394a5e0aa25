import HttpC
package import HttpCTerminal
import HttpConvPlatform
import HttpConvSystem
package import HttpConvVault
package import HttpConvVaultStorage
import Synchronization

/// The state of a profile, shared by all processes: one encrypted vault in its state directory.
///
/// It has the profile's tokens, and as ``StateRecord`` its cookies, the ends of its web logins, its sessions at
/// identity providers, and its used one-time codes. It is opened once, when first needed, and created when something is
/// first saved.
package final class ProfileState: Sendable {
    package let profile: String
    private let environment: [String: String]
    private let opened = Mutex<DataVault?>(nil)
    /// The path of the vault's database; nil without a place for state.
    private let database: String?

    package init(profile: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.profile = profile
        self.environment = environment
        database = Directories(environment).state.map { "\($0)/\(profile)/\(DataVault.databaseName)" }
    }

    /// The sizes and times of the vault's files, which differ after a commit of any process. Reading them is cheap
    /// enough for each request.
    var fileStamp: [Int] {
        guard let database else { return [] }
        return ["", "-wal"].flatMap { suffix -> [Int] in
            var status = stat()
            guard stat(database + suffix, &status) == 0 else { return [-1] }
            let time = status.modified
            return [Int(truncatingIfNeeded: status.st_ino), Int(status.st_size), time.tv_sec, time.tv_nsec]
        }
    }

    /// The vault, created if there is none.
    package func vault() async throws(CommandFailure) -> DataVault {
        if let vault = opened.withLock({ $0 }) { return vault }
        guard let directory = try StateDirectory.open(profile: profile, creates: true, environment: environment)
        else {
            throw CommandFailure(.outputFailed, "There is no place for the state of the profile \"\(profile)\".")
        }
        let key = try StateVaultKey.readOrMake(in: directory)
        do throws(DataVaultError) {
            return keep(
                try await DataVault.openOrCreate(at: directory.url, key: key, configuration: Self.configuration))
        } catch {
            throw StateFailure.failure(error, in: directory)
        }
    }

    /// The vault if there is one.
    package func existingVault() async throws(CommandFailure) -> DataVault? {
        try await open { (error, directory) throws(CommandFailure) in throw StateFailure.failure(error, in: directory) }
    }

    /// The vault if there is one that can be read. If it cannot be opened because the disk is full or read-only, prints
    /// a warning and returns nil.
    func readableVault(_ diagnostics: Diagnostics) async throws(CommandFailure) -> DataVault? {
        try await open { (error, directory) throws(CommandFailure) in
            let failure = StateFailure.failure(error, in: directory)
            guard error.code == .readOnly || error.code == .diskFull else { throw failure }
            diagnostics.message("Warning: \(failure.message) What the profile \"\(profile)\" keeps is not used.")
            return nil
        }
    }

    /// The profile's tokens, in a vault that is created if there is none.
    package func tokens() async throws(CommandFailure) -> VaultTokenStorage { VaultTokenStorage(try await vault()) }

    /// The profile's tokens if it has a vault.
    package func existingTokens() async throws(CommandFailure) -> VaultTokenStorage? {
        try await existingVault().map { VaultTokenStorage($0) }
    }

    private func open(
        otherwise answer: (DataVaultError, StateDirectory) throws(CommandFailure) -> DataVault?
    ) async throws(CommandFailure) -> DataVault? {
        if let vault = opened.withLock({ $0 }) { return vault }
        guard let directory = try StateDirectory.open(profile: profile, creates: false, environment: environment),
            directory.contains(DataVault.databaseName)
        else { return nil }
        let key = try StateVaultKey.readOrMake(in: directory)
        let failure: DataVaultError
        do throws(DataVaultError) {
            return keep(try await DataVault.open(at: directory.url, key: key, configuration: Self.configuration))
        } catch {
            failure = error
        }
        return try answer(failure, directory)
    }

    private static var configuration: DataVaultConfiguration {
        var configuration = DataVaultConfiguration()
        configuration.usesOneConnection = true
        return configuration
    }

    /// Keeps the first of two vaults that were opened at the same time.
    private func keep(_ vault: DataVault) -> DataVault {
        opened.withLock { opened in
            defer { opened = opened ?? vault }
            return opened ?? vault
        }
    }
}
